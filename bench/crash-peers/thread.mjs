// The process of a script of `threads`: it says whether what the thread tells is mended.
const [name, folder] = process.argv.slice(2);
const { isMended } = await import(`./threads/${name}.mjs`);
process.send({ isMended: await isMended(folder) });
