#include "tensor/array.hpp"

#include <numeric>

#include "tensor/xtensor.hpp"

namespace attn {

std::string dtype_name(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "bool";
    case DType::int64: return "int64";
    case DType::float32: break;
  }
  return "float32";
}

std::int64_t element_size(DType dtype) {
  switch (dtype) {
    case DType::boolean: return 1;
    case DType::int64: return 8;
    case DType::float32: break;
  }
  return 4;
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(count, size, &count)) {
      throw TooLarge("a tensor of shape " + shape_text(shape) + " has more than 2^63 elements");
    }
  }
  return count;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape result = a.size() < b.size() ? b : a;
  const Shape& other = a.size() < b.size() ? a : b;
  for (std::size_t i = 0; i < other.size(); ++i) {
    std::int64_t& size = result[result.size() - 1 - i];
    const std::int64_t one = other[other.size() - 1 - i];
    if (size != one && size != 1 && one != 1) {
      return std::nullopt;
    }
    size = size == 1 ? one : size;
  }
  return result;
}

std::string shape_text(const Shape& shape) { return "[" + sizes_text(shape) + "]"; }

std::string sizes_text(const Shape& shape) {
  std::string text;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
  }
  return text;
}

std::string tuple_text(const Shape& shape) { return "(" + sizes_text(shape) + (shape.size() == 1 ? ",)" : ")"); }

Shape row_major_strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[axis];
  }
  return strides;
}

Shape index_at(std::int64_t position, const Shape& shape) {
  Shape index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return index;
}

std::int64_t position_of(const Shape& index, const Shape& shape) {
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    position = position * shape[axis] + index[axis];
  }
  return position;
}

namespace {

Shape shape_of(const Contents& contents) {
  return std::visit([](const auto& values) { return values.shape(); }, contents);
}

}  // namespace

Array::Array(Contents contents)
    : storage(std::make_shared<Contents>(std::move(contents))),
      shape(shape_of(*storage)),
      strides(row_major_strides(shape)) {}

Array::Array(const Array& viewed, Shape view_shape, Shape new_strides, std::int64_t new_offset)
    : storage(viewed.storage), shape(std::move(view_shape)), strides(std::move(new_strides)), offset(new_offset) {}

bool Array::is_contiguous() const {
  std::int64_t expected = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != 1 && strides[axis] != expected) {
      return false;
    }
    expected *= shape[axis];
  }
  return true;
}

Array Array::contiguous() const { return is_contiguous() ? *this : Array(*contents()); }

std::shared_ptr<const Contents> Array::contents() const {
  if (is_contiguous() && shape_of(*storage) == shape) {
    return storage;
  }
  return std::visit(
      [this]<class T>(const Block<T>& values) {
        const auto whole = xt::adapt(values.data(), values.size(), xt::no_ownership(), std::vector{values.size()});
        const auto viewed = xt::strided_view(whole, std::vector<std::size_t>(shape.begin(), shape.end()),
                                             std::vector<std::ptrdiff_t>(strides.begin(), strides.end()),
                                             static_cast<std::size_t>(offset), xt::layout_type::dynamic);
        Block<T> copy(shape);
        std::copy(viewed.begin(), viewed.end(), copy.begin());
        return std::make_shared<Contents>(std::move(copy));
      },
      *storage);
}

Block<float> Array::own_floats() && {
  std::shared_ptr<const Contents> own = contents();
  const bool is_only_here = own == storage ? own.use_count() == 2 : own.use_count() == 1;
  if (!is_only_here) {
    return std::get<Block<float>>(*own);
  }
  return std::move(std::get<Block<float>>(const_cast<Contents&>(*own)));  // storage is never const
}

const float* Array::floats() const { return std::get<Block<float>>(*storage).data() + offset; }

double Array::value(const Shape& index) const {
  const auto position =
      static_cast<std::size_t>(std::inner_product(index.begin(), index.end(), strides.begin(), offset));
  return std::visit([position](const auto& values) { return static_cast<double>(values.data()[position]); }, *storage);
}

Shape view_strides(const Array& array, const Shape& shape) {
  if (array.shape.empty()) {
    return Shape(shape.size(), 1);
  }
  Shape strides(shape.size());
  std::size_t axes_left = shape.size();
  std::int64_t base_stride = array.strides.back();
  std::int64_t chunk_size = 1;
  std::int64_t view_size = 1;
  for (std::size_t axis = array.shape.size(); axis-- > 0;) {
    chunk_size *= array.shape[axis];
    const bool chunk_ends =
        axis == 0 || (array.shape[axis - 1] != 1 && array.strides[axis - 1] != chunk_size * base_stride);
    if (!chunk_ends) {
      continue;
    }
    while (axes_left > 0 && (view_size < chunk_size || shape[axes_left - 1] == 1)) {
      strides[axes_left - 1] = view_size * base_stride;
      view_size *= shape[axes_left - 1];
      --axes_left;
    }
    if (view_size != chunk_size) {
      return {};
    }
    if (axis > 0) {
      base_stride = array.strides[axis - 1];
      chunk_size = view_size = 1;
    }
  }
  return axes_left == 0 ? strides : Shape{};
}

Array reshape(const Array& array, const Shape& shape) {
  Shape strides = view_strides(array, shape);
  if (!strides.empty() || shape.empty()) {
    return Array(array, shape, std::move(strides), array.offset);
  }
  const Array copy = Array(*array.contents());
  return Array(copy, shape, row_major_strides(shape), 0);
}

}  // namespace attn
