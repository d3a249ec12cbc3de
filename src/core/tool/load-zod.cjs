// CommonJS, because `require` loads at once what is first needed in the middle of a synchronous function, and because bundlers follow it.
exports.loadZod = () => require("zod/v4/core");
