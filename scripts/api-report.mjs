/**
 * Keeps the reports in docs/api: the public types of each entry of the package, made by API Extractor from the declarations in dist/.
 * `npm run api` writes them after a build; `npm run check:api` says what differs and fails.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";

const root = join(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");
const reportFolder = join(root, "docs/api");
const tempFolder = join(root, "build/api");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const silent = { default: { logLevel: ExtractorLogLevel.None } };

/** Writes the report of an entry to the temporary folder, and to docs/api unless it is only checked. */
function report(subpath, { types }) {
  const name = subpath === "." ? "agentchart" : `agentchart-${subpath.slice(2).replaceAll("/", "-")}`;
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: join(root, types),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "es2023",
            lib: ["es2024"],
            module: "nodenext",
            strict: true,
            skipLibCheck: true,
            types: ["node"],
          },
          include: [join(root, types)],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder,
        reportTempFolder: tempFolder,
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: silent,
        tsdocMessageReporting: silent,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, "package.json"),
  });
  const { errorCount } = Extractor.invoke(config, {
    localBuild: !isCheck,
    messageCallback: (message) => {
      if (message.logLevel !== ExtractorLogLevel.Error) message.handled = true;
    },
  });
  if (errorCount > 0) process.exitCode = 1;
}

rmSync(tempFolder, { recursive: true, force: true });
mkdirSync(reportFolder, { recursive: true });
for (const [subpath, target] of Object.entries(exports)) {
  if (typeof target === "object") report(subpath, target);
}
const written = readdirSync(tempFolder);
if (isCheck) {
  const args = ["diff", "--no-index", "--stat", "--patch", "docs/api", "build/api"];
  const { status } = spawnSync("git", args, { cwd: root, stdio: "inherit" });
  if (status !== 0) {
    console.error(
      'The public types differ from docs/api. Run "npm run build && npm run api" and review the diff.',
    );
    process.exitCode = 1;
  }
} else {
  for (const file of readdirSync(reportFolder)) if (!written.includes(file)) rmSync(join(reportFolder, file));
}
if (!process.exitCode) console.log(`docs/api holds the public types of ${written.length} entries.`);
