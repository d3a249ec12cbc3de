import { Pool } from "pg";

/** A refund that was paid. */
export type Refund = {
  readonly key: string;
  readonly orderId: string;
  readonly cents: number;
  readonly reason: string;
};

/** Pays and records refunds: each key once, and never more than the order cost. */
export type RefundLedger = {
  refundedCents(orderId: string): Promise<number>;
  /** Pays a refund, or returns the one that was paid with this key. Undefined if the amount exceeds what is left of the order. */
  refund(refund: Refund, totalCents: number): Promise<Refund | undefined>;
  all(): Promise<readonly Refund[]>;
  close(): Promise<void>;
};

const TABLE = `create table if not exists desk_refunds (
  key text primary key, order_id text not null, cents integer not null check (cents > 0), reason text not null)`;

/** Two processes may create the table at once, and Postgres rejects one of them; the lock serialises them. */
const LOCK = 727_001;

const COLUMNS = `key, order_id as "orderId", cents, reason`;

/** A ledger in a table `desk_refunds` of a Postgres database. */
export function refundLedger(connectionString: string): RefundLedger {
  const pool = new Pool({ connectionString, max: 4 });
  pool.on("error", () => {}); // an idle connection broke; the next query opens another
  let ready: Promise<void> | undefined;

  const inTransaction = async <T>(work: (query: Pool["query"]) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    try {
      await client.query("begin");
      const result = await work(client.query.bind(client) as Pool["query"]);
      await client.query("commit");
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
  const opened = (): Promise<void> => {
    ready ??= inTransaction(async (query) => {
      await query("select pg_advisory_xact_lock($1)", [LOCK]);
      await query(TABLE);
    }).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };

  return {
    async refundedCents(orderId) {
      await opened();
      const { rows } = await pool.query<{ sum: string }>(
        "select coalesce(sum(cents), 0) as sum from desk_refunds where order_id = $1",
        [orderId],
      );
      return Number(rows[0]!.sum);
    },
    async refund({ key, orderId, cents, reason }, totalCents) {
      await opened();
      return inTransaction(async (query) => {
        await query("select pg_advisory_xact_lock($1, hashtext($2))", [LOCK, orderId]);
        const { rows: known } = await query<Refund>(`select ${COLUMNS} from desk_refunds where key = $1`, [
          key,
        ]);
        if (known[0]) return known[0];
        const { rows: made } = await query<Refund>(
          `insert into desk_refunds (key, order_id, cents, reason)
           select $1, $2, $3::integer, $4
           where (select coalesce(sum(cents), 0) from desk_refunds where order_id = $2) + $3::integer <= $5
           returning ${COLUMNS}`,
          [key, orderId, cents, reason, totalCents],
        );
        return made[0];
      });
    },
    async all() {
      await opened();
      const { rows } = await pool.query<Refund>(`select ${COLUMNS} from desk_refunds order by key`);
      return rows;
    },
    close: () => pool.end(),
  };
}
