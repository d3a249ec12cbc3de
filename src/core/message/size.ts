import type { Block, Msg } from "./types.ts";

/** About as many characters of English, code or JSON make a token. */
const CHARACTERS_PER_TOKEN = 3.5;
/** So many of the alphabets of Europe and the Near East do; a character of any other writing counts as one token. */
const LETTERS_PER_TOKEN = 2;
/** The last code of ASCII, and that of those alphabets. */
const [LAST_ASCII, LAST_LETTER] = [0x7f, 0x7ff];
/** The number of tokens of a message beside its content. */
const PER_MESSAGE = 4;
/** The size of an image, sound or film, whose tokens only its provider knows. */
const PER_MEDIA = 765;

/** Returns the size of a text, in tokens. It is quick and needs no tokenizer; models count differently, so that it is compared with
 *  what they have reported. */
export function sizeOfText(text: string): number {
  let letters = 0;
  let wide = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= LAST_ASCII) continue;
    if (code <= LAST_LETTER) letters++;
    else wide++;
  }
  return (text.length - letters - wide) / CHARACTERS_PER_TOKEN + letters / LETTERS_PER_TOKEN + wide;
}

function sizeOfBlock(block: Block): number {
  switch (block.type) {
    case "text":
      return sizeOfText(block.text);
    case "thinking":
      return sizeOfText(block.thinking);
    case "tool_use":
      return sizeOfText(block.name) + sizeOfText(JSON.stringify(block.input));
    case "tool_result":
      return block.output.reduce(addSize, sizeOfText(block.name));
    default:
      return PER_MEDIA;
  }
}

const addSize = (sum: number, block: Block): number => sum + sizeOfBlock(block);

/** Returns the size of content, in tokens as {@link sizeOfText} counts them. */
export const sizeOfContent = (content: readonly Block[]): number => content.reduce(addSize, 0);

/** Returns the size of a message, in tokens as {@link sizeOfText} counts them. */
export function measured(message: Msg): number {
  return Math.ceil(message.content.reduce(addSize, PER_MESSAGE));
}

const sizes = new WeakMap<Msg, number>();

/** As {@link measured}, but counted once for each message object. */
export function sizeOfMessage(message: Msg): number {
  let size = sizes.get(message);
  if (size === undefined) {
    size = measured(message);
    sizes.set(message, size);
  }
  return size;
}

const toolSizes = new WeakMap<readonly object[], number>();

/** Returns the size of what tools add to a request, in tokens; counted once for each array. */
export function sizeOfTools(tools: readonly object[]): number {
  let size = toolSizes.get(tools);
  if (size === undefined) {
    size = tools.length === 0 ? 0 : Math.ceil(sizeOfText(JSON.stringify(tools)));
    toolSizes.set(tools, size);
  }
  return size;
}
