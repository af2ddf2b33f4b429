// The program in a page that computes its lesson: it is unpacked, compiled, and run in a worker.

/** What the worker does: runs a command line on files in memory. Its source is sent to the worker. */
function serve() {
  const mostMemory = 256 * 2 ** 20;  // an instance keeps the memory of its largest command
  let compiled;
  let program = null;
  let told = [];
  const start = () => attnWalkthrough({
    noInitialRun: true,
    print: () => {},
    printErr: (line) => told.push(line),
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(compiled, imports).then(done);
      return {};
    },
  });
  const run = async (folder, { args, given, made }) => {
    program ??= await start();
    told = [];
    const { FS } = program;
    FS.mkdir(folder);  // no file of another command is in it
    FS.chdir(folder);
    for (const [name, bytes] of given) {
      if (name.includes("/")) FS.mkdirTree(name.slice(0, name.lastIndexOf("/")));
      FS.writeFile(name, bytes);
    }
    const code = program.callMain(args);
    const file = FS.analyzePath(made).exists ? FS.readFile(made) : null;
    const remove = (path) => {
      if (!FS.isDir(FS.stat(path).mode)) return FS.unlink(path);
      for (const name of FS.readdir(path)) if (name !== "." && name !== "..") remove(`${path}/${name}`);
      FS.rmdir(path);
    };
    FS.chdir("/");
    remove(folder);
    if (program.HEAPU8.length > mostMemory) program = null;
    postMessage({ code, told: told.join("\n"), file }, file ? [file.buffer] : []);
  };
  let runs = 0;
  onmessage = ({ data }) => {
    if (data instanceof WebAssembly.Module) {
      compiled = data;
      return;
    }
    run(`/${++runs}`, data).catch((error) => {
      program = null;
      postMessage({ failed: error.message ?? String(error) });
    });
  };
}

/** The page's rules forbid every connection, so base64 is not left to the browser's fetch. */
function unpacked(id) {
  const packed = atob(find(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

let parts = null;  // of the program: the worker's script and the compiled WebAssembly
const prepare = () => parts ??= Promise.all([
  unpacked("live-glue").text(),
  unpacked("live-program").arrayBuffer().then((bytes) => WebAssembly.compile(bytes)),
]);

let worker = null;

async function startWorker() {
  const [glue, program] = await prepare();
  const address = URL.createObjectURL(new Blob([glue, `\n(${serve})();`], { type: "text/javascript" }));
  worker = new Worker(address);
  worker.postMessage(program);
}

const failure = (message) => ({ code: 2, told: `the program cannot go on: ${message}`, file: null });
const patience = 200;  // ms that a lesson may take on when another one is wanted

/** Has the worker answer a request; null if the signal says that nobody wants the answer any more. */
async function answered(request, signal) {
  if (!worker) await startWorker();
  if (signal?.aborted) return null;
  return new Promise((resolve) => {
    let stopping = 0;
    const hurry = () => { stopping = setTimeout(() => stop(null), patience); };
    const end = (answer) => {
      clearTimeout(stopping);
      signal?.removeEventListener("abort", hurry);
      resolve(answer);
    };
    const stop = (answer) => {
      worker.terminate();
      worker = null;
      end(answer);
    };
    worker.onmessage = ({ data }) => end(data.failed ? failure(data.failed) : data);
    worker.onerror = ({ message }) => stop(failure(message));
    signal?.addEventListener("abort", hurry);
    worker.postMessage(request);
  });
}

let last = Promise.resolve();

/** Runs the program after what it runs now. `given` are pairs of a file's name and its bytes; `made` is the file to bring
    back. */
function run(args, made, given = [], signal = undefined) {
  last = last.then(() => answered({ args, given, made }, signal)).catch((error) => failure(error.message));
  return last;
}
