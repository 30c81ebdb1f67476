// The builder numbers modules by a hash of where they lie; by their order, the same sources give the same bytes anywhere.
module.exports = { optimization: { moduleIds: "natural", chunkIds: "natural" } };
