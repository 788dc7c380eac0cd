// What refused rows said of people who are erased; in SQL, because JSON is looked into.
import type { Execute } from '../../../db/database.ts'

/** Clears what the rows said in which an address stands, alone or beside a name. Their lines and reasons stay. */
export async function forgetRefusedCells(execute: Execute, teamId: string, addresses: readonly string[]): Promise<void> {
  await execute(FORGET, [teamId, addresses.map((address) => address.toLowerCase())])
}

const FORGET = `
update contact_import_refusals r set cells = null from contact_imports i
 where i.team_id = $1 and i.id = r.import_id and r.cells is not null
   and exists (select from jsonb_array_elements_text(r.cells) cell
     where lower(btrim(cell)) = any($2::text[]) or lower(btrim(substring(cell from '<([^<>]*)>'))) = any($2::text[]))`
