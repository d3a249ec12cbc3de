/**
 * Splits a text into the words of the search. Chinese is written without spaces: each two characters beside each other are a word there,
 * so that a word is found in the middle of a sentence. VitePress sends the source of this function to the page: it uses nothing else.
 */
export function tokenize(text) {
  return text.split(/[\n\r\p{Z}\p{P}]+/u).flatMap((word) =>
    word.split(/(\p{Script=Han}+)/u).flatMap((part) => {
      if (!/\p{Script=Han}/u.test(part)) return part === "" ? [] : [part];
      const characters = [...part];
      return characters.length === 1
        ? characters
        : characters.slice(1).map((each, at) => characters[at] + each);
    }),
  );
}
