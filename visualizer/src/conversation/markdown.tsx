import { SafeLink } from "./safe-link.tsx";
import { Lexer, type Token, type Tokens } from "marked";
import { memo, type ReactNode } from "react";
import { safeText } from "../logic/format.ts";
import { t } from "../words/t.ts";

/**
 * Renders untrusted text as markdown. It contains no HTML and loads nothing: images are links, and links show
 * their target.
 */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="markdown">
      {Lexer.lex(safeText(text)).map((token, index) => (
        <BlockView key={index} raw={token.raw} token={token} />
      ))}
    </div>
  );
}

/** Re-rendered only when its text changes: the end of a long answer grows while its beginning stays. */
const BlockView = memo(
  function BlockView({ token }: { readonly raw: string; readonly token: Token }) {
    return block(token);
  },
  (before, after) => before.raw === after.raw,
);

function block(token: Token): ReactNode {
  switch (token.type) {
    case "heading":
      return <p className={`heading h${(token as Tokens.Heading).depth}`}>{inline(token)}</p>;
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{blocks(token)}</blockquote>;
    case "list":
      return list(token as Tokens.List);
    case "table":
      return table(token as Tokens.Table);
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    case "paragraph":
      return <p>{inline(token)}</p>;
    case "text":
      return inline(token);
    default:
      return <p>{token.raw}</p>;
  }
}

const childrenOf = (token: Token): readonly Token[] => ("tokens" in token ? (token.tokens ?? []) : []);
const blocks = (token: Token): ReactNode =>
  childrenOf(token).map((child, index) => <BlockView key={index} raw={child.raw} token={child} />);

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const lines = items.map((item, index) => (
    <li key={index}>
      {item.task && (
        <input type="checkbox" checked={item.checked ?? false} readOnly disabled aria-label={t("task")} />
      )}
      {blocks(item)}
    </li>
  ));
  return ordered ? <ol start={start === "" ? 1 : start}>{lines}</ol> : <ul>{lines}</ul>;
}

function table({ header, rows }: Tokens.Table): ReactNode {
  return (
    <div className="scrollable" tabIndex={0} role="region" aria-label={t("Table")}>
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index}>{inlines(cell.tokens)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {row.map((cell, index) => (
                <td key={index}>{inlines(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const inline = (token: Token): ReactNode => {
  const children = childrenOf(token);
  return children.length > 0
    ? inlines(children)
    : "text" in token
      ? unescaped(String(token.text))
      : token.raw;
};
const inlines = (tokens: readonly Token[]): ReactNode =>
  tokens.map((token, index) => <span key={index}>{span(token)}</span>);

function span(token: Token): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token)}</strong>;
    case "em":
      return <em>{inline(token)}</em>;
    case "del":
      return <del>{inline(token)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return <SafeLink address={(token as Tokens.Link).href}>{inline(token)}</SafeLink>;
    case "image":
      return (
        <SafeLink address={(token as Tokens.Image).href}>
          {t("image:")} {(token as Tokens.Image).text || t("untitled")}
        </SafeLink>
      );
    case "escape":
      return (token as Tokens.Escape).text;
    case "text":
      return inline(token);
    default:
      return token.raw;
  }
}

const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
