import { command } from "../../db/statement.ts";
import type { Tx } from "../../events/write.ts";
import { type Settings, storedSetting } from "./store.ts";

type Row = { name: string; content: string };

export const insertSetting = command<Row>(`INSERT INTO settings (name, content) VALUES (:name, :content)`);

const store = command<Row>(`
  INSERT INTO settings (name, content) VALUES (:name, :content)
  ON CONFLICT DO UPDATE SET content = :content`);

/** Changes a setting. */
export function changeSetting<N extends keyof Settings>(tx: Tx, name: N, value: Settings[N]) {
  const before = storedSetting(tx.db, name);
  store(tx).run({ name, content: JSON.stringify(value) });
  const type = before === undefined ? "setting-created" : "setting-updated";
  tx.record({ type, data: { id: name, ...value }, ...(before && { preData: { ...before } }) });
}
