// CommonJS, because `require` loads at once what is first needed in the middle of a synchronous function, and because bundlers
// follow it: the tokenizer is part of a bundle, and is still evaluated only when something is counted.
exports.loadTokenizer = () => require("gpt-tokenizer/encoding/cl100k_base");
