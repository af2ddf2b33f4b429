// Runs the WebAssembly as the program: node tests/wasm/node.js build/wasm/attn-walkthrough.js [argument...]
// Standard input, output and error are those of node; the files are the module's own.
"use strict";
const fs = require("fs");

const [script, ...given] = process.argv.slice(2);
const written = [[], [], []];
let input = null;
let read = 0;

function nextByte() {
  input ??= fs.readFileSync(0);
  return read < input.length ? input[read++] : null;
}

function writeAll(descriptor) {
  const bytes = Buffer.from(written[descriptor]);
  for (let done = 0; done < bytes.length;) {
    done += fs.writeSync(descriptor, bytes, done);
  }
}

require(fs.realpathSync(script))({
  wasmBinary: fs.readFileSync(script.replace(/js$/, "wasm")),
  preRun: [module => module.FS.init(nextByte, byte => written[1].push(byte), byte => written[2].push(byte))],
}).then(module => {
  const code = module.callMain(given);
  writeAll(1);
  writeAll(2);
  process.exitCode = code;
});
