// The judgement of command lines.
import { expect, test } from "vitest";
import fc from "fast-check";
import { judgeCommand, type CommandRules } from "agentchart/workspace";

const RULES: CommandRules = {
  allow: [
    "git *",
    "npm test*",
    "ls*",
    "cat *",
    "echo*",
    "grep *",
    "find *",
    "cd *",
    "sudo *",
    "node build.js",
  ],
  deny: ["rm *", "git push*", "curl*"],
  root: "/srv/repo",
  mayWrite: (path) => !path.includes(".env"),
};
const verdict = (line: string, cwd?: string): string => {
  const judged = judgeCommand(line, RULES, cwd);
  if (judged.action === "ask") return `ask: ${judged.because}`;
  return judged.action === "deny" ? `deny: ${judged.pattern}` : "allow";
};

test.each([
  // allowed as a whole
  ["git status", "allow"],
  ["npm test", "allow"],
  ["npm test -- --run a.test.ts", "allow"],
  ["git log | grep 'fix; rm -rf /' && echo \"done\"", "allow"],
  ["ls; ls -l & git diff\nnpm test", "allow"],
  ["! git diff --quiet", "allow"],
  ["echo hi > out.txt 2>&1", "allow"],
  ["cat < in.txt >> logs/all.txt", "allow"],
  ["echo x > /dev/null 2> /dev/stderr", "allow"],
  ["cat <<'END' > notes.md\n$(id) `x`\nEND", "allow"],
  ["ls src/*.ts", "allow"],
  ["node build.js", "allow"],
  // a part is not allowed
  ["node build.js --x", "ask: unlisted"],
  ["npm run build", "ask: unlisted"],
  ["git status && make", "ask: unlisted"],
  ["git status | tee x", "ask: unlisted"],
  ["ls\nmake", "ask: unlisted"],
  ["ls & make", "ask: unlisted"],
  ["gitx status", "ask: unlisted"],
  ["./git status", "ask: unlisted"],
  ["'git status'", "ask: unlisted"],
  ["echo x > .env", "ask: unlisted"],
  // substitutions
  ["echo $(id)", "ask: substitution"],
  ["echo `id`", "ask: substitution"],
  ['echo "a $(id)"', "ask: substitution"],
  ['echo "$HOME"', "ask: substitution"],
  ["git log $REF", "ask: substitution"],
  ["cat <(id)", "ask: substitution"],
  ["cat <<END\n$(id)\nEND", "ask: substitution"],
  ["echo $((1+1))", "ask: substitution"],
  ["ls > $(id)", "ask: substitution"],
  // redirections
  ["echo x > /etc/passwd", "ask: outside"],
  ["echo x >> ../other", "ask: outside"],
  ["cat < /etc/shadow", "ask: outside"],
  ["cd /tmp && echo x > f", "ask: outside"],
  ["echo x >| /root/.bashrc", "ask: outside"],
  ["echo x > ~/.bashrc", "ask: redirection"],
  ["echo x > a*", "ask: redirection"],
  ["echo x &> f", "ask: ambiguous"],
  ["echo x >& f", "ask: ambiguous"],
  // wrappers
  ["sudo ls", "ask: wrapper"],
  ["/usr/bin/sudo ls", "ask: wrapper"],
  ["s'u'do ls", "ask: wrapper"],
  ["\\sudo ls", "ask: wrapper"],
  ["env ls", "ask: wrapper"],
  ["FOO=1 ls", "ask: wrapper"],
  ["A=1", "ask: wrapper"],
  ["ls | xargs cat", "ask: wrapper"],
  ["sh -c ls", "ask: wrapper"],
  ["bash x.sh", "ask: wrapper"],
  ["eval ls", "ask: wrapper"],
  [". ./x", "ask: wrapper"],
  ["time ls", "ask: wrapper"],
  ["timeout 5 ls", "ask: wrapper"],
  ["find . -exec cat {} +", "ask: wrapper"],
  ["find . -delete", "ask: wrapper"],
  ["git -c core.pager='touch /tmp/x' log", "ask: wrapper"],
  ["git --exec-path=/tmp log", "ask: wrapper"],
  ["git -C /elsewhere log", "ask: wrapper"],
  ["git grep -O'touch x' y", "ask: wrapper"],
  ["git diff --ext-diff", "ask: wrapper"],
  // git takes the beginning of an option for the whole
  ["git grep --open-files=touch x", "ask: wrapper"],
  ["git fetch --upload-pa=touch", "ask: wrapper"],
  ["git rebase --ex=touch main", "ask: wrapper"],
  ["git rebase -xtouch main", "ask: wrapper"],
  ["git log --output=src/a.ts", "ask: wrapper"],
  ["git bisect run touch x", "ask: wrapper"],
  ["git submodule --quiet foreach touch x", "ask: wrapper"],
  ["git log --oneline --no-ext-diff -u", "allow"],
  ["alias ls=cat", "ask: wrapper"],
  // what shells do not agree on, and what is not whole
  ["echo 'a", "ask: ambiguous"],
  ["echo $'a\\nb'", "ask: substitution or ambiguous"],
  ["echo {a,b}", "ask: ambiguous"],
  ["echo !(x)", "ask: ambiguous"],
  ["ls |& cat x", "ask: ambiguous"],
  ["cat <<< x", "ask: ambiguous"],
  ["cat <<END\nx", "ask: ambiguous"],
  ["if ls; then ls; fi", "ask: ambiguous"],
  ["(ls)", "ask: ambiguous"],
  ["f() { ls; }; f", "ask: ambiguous"],
  ["ls\r", "ask: ambiguous"],
  ["ls\u00a0-l", "ask: ambiguous"],
  ["ls *", "ask: ambiguous"],
  ["l? x", "ask: ambiguous"],
  ["", "ask: ambiguous"],
  ["# only a comment", "ask: ambiguous"],
  [`echo ${"x".repeat(30_000)}`, "ask: ambiguous"],
  // what must not run
  ["rm -rf .", "deny: rm *"],
  ["ls && rm x", "deny: rm *"],
  ["/bin/rm x", "deny: rm *"],
  ["sudo rm x", "deny: rm *"],
  ["find . -exec rm {} +", "deny: rm *"],
  ["echo $(rm x)", "deny: rm *"],
  ["sh -c 'rm x'", "deny: rm *"],
  ["if ls; then rm x; fi", "deny: rm *"],
  ["ls\r\nrm x", "deny: rm *"],
  ["git push --force", "deny: git push*"],
  ["env A=1 curl http://x", "deny: curl*"],
  ["git pu*", "ask: ambiguous"],
])("%j is judged as %s", (line, expected) => {
  if (expected.includes(" or ")) expect(verdict(line)).toMatch(/^ask: /u);
  else expect(verdict(line)).toBe(expected);
});

test("a relative redirection is seen from the directory in which the command runs", () => {
  expect(verdict("echo x > ../f", "src")).toBe("allow");
  expect(verdict("echo x > ../../f", "src")).toBe("ask: outside");
  expect(verdict("echo x > ../.env", "src")).toBe("ask: unlisted");
});

test("no line with a part that is not allowed is allowed, however it is joined, quoted and spaced", () => {
  const allowed = fc.constantFrom("git status", "ls -l", "echo 'a b'", "npm test");
  const other = fc.constantFrom("make", "node x.js", "'ma'ke all", "m\\ake", '"make"', "./ls");
  const joint = fc.constantFrom(";", " ; ", "&&", " || ", "|", " & ", "\n", " \\\n&& ");
  const line = fc
    .tuple(fc.array(fc.tuple(allowed, joint)), other, fc.array(fc.tuple(joint, allowed)))
    .map(([before, middle, after]) => before.flat().join("") + middle + after.flat().join(""));
  fc.assert(fc.property(line, (text) => verdict(text) !== "allow"));
  const allAllowed = fc
    .tuple(allowed, fc.array(fc.tuple(joint, allowed)))
    .map(([first, more]) => first + more.flat().join(""));
  fc.assert(fc.property(allAllowed, (text) => verdict(text) === "allow"));
});

test("any text is judged, soon, and a substitution is never allowed", () => {
  const piece = fc.constantFrom(
    "git",
    " ",
    "$(",
    ")",
    "`",
    "'",
    '"',
    "\\",
    "\n",
    "<<E",
    "E",
    ">",
    "&",
    "|",
    ";",
    "{",
    "}",
    "${",
    "#",
    "ls",
    "*",
    "[",
    "((",
    "$'",
    "=",
    "<(",
    "!",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const judged = judgeCommand(pieces.join(""), RULES);
      return ["allow", "ask", "deny"].includes(judged.action);
    }),
  );
  fc.assert(
    fc.property(fc.constantFrom("$(x)", "`x`", '"$(x)"', "${x}", "$x", "<(x)"), fc.nat(3), (inserted, at) => {
      const words = ["git", "log", "-p", "--stat"];
      words.splice(at, 0, inserted);
      return judgeCommand(words.join(" "), RULES).action !== "allow";
    }),
  );
});
