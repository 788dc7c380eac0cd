// What an update changes for a team because blank texts count as empty and automations compare texts as segments do; in SQL, because values of
// properties are keys of a document. The tables may be those of the version before.

import type { Database } from '../../db/database.ts'
import { WHITE_SPACE } from '../../lib/text.ts'

/** What changes for one team. */
export type ChangedComparisons = {
  teamId: string
  /** Contacts with a name or a property of white space alone. */
  contacts: number
  /** Segments whose filters ask whether a text is set. */
  segments: string[]
  /** Enabled automations with rules over texts. */
  automations: string[]
}

/** How many names are listed of each. */
const NAMES_MAX = 20

export function changedComparisonRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Reads all contacts. For operators only: it crosses teams. */
    async listAcrossTeams(): Promise<ChangedComparisons[]> {
      return execute<ChangedComparisons>(LIST, [WHITE_SPACE, NAMES_MAX])
    },
  }
}

const LIST = `
select t.id as "teamId",
  (select count(*)::int from contacts c where c.team_id = t.id and (
    (c.first_name is not null and btrim(c.first_name, $1) = '') or (c.last_name is not null and btrim(c.last_name, $1) = '')
    or exists (select from jsonb_each_text(c.properties) p where btrim(p.value, $1) = '')
  )) as contacts,
  array(
    select s.name from segments s where s.team_id = t.id and jsonb_path_exists(s.filter, '$.**.operator ? (@ == "is_set" || @ == "is_not_set")')
    order by s.id limit $2
  ) as segments,
  array(
    select a.name from automations a join automation_versions v on v.id = a.version_id
    where a.team_id = t.id and a.status = 'enabled' and a.deleted_at is null and jsonb_path_exists(v.steps,
      '$.** ? (@.operator == "eq" || @.operator == "neq" || @.operator == "contains" || @.operator == "starts_with" || @.operator == "ends_with").value ? (@.type() == "string")')
    order by a.id limit $2
  ) as automations
from teams t order by t.id`
