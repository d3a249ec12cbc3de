// A table of texts by key in a SQLite file, for frameworks that leave storage to their users.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export function openRows(folder) {
  const db = new DatabaseSync(join(folder, "app.db"), { timeout: 10_000 });
  db.exec("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, text TEXT)");
  return {
    load: (id) => db.prepare("SELECT text FROM rows WHERE id = ?").get(id)?.text,
    save: (id, text) => void db.prepare("INSERT OR REPLACE INTO rows (id, text) VALUES (?, ?)").run(id, text),
  };
}
