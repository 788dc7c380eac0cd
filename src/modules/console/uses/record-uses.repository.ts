// What uses properties and events; in SQL, because templates and steps are searched within their texts and their JSON.
import { type Database, statement } from '../../../db/database.ts'

export type NamedRecord = { id: string; name: string }

/** The newest of each kind are looked through. Few teams have as many. */
const LOOKED_THROUGH_MAX = 500

export function recordUseRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Templates in whose newest or published version this text stands, in whatever case, the newest first. */
    templatesWithText: (teamId: string, text: string): Promise<(NamedRecord & { texts: string[] })[]> =>
      execute(TEMPLATES_WITH_TEXT, [teamId, text]),

    /** Automations whose steps read or write the property with this key, the newest first. */
    automationsWithProperty: (teamId: string, key: string): Promise<NamedRecord[]> => execute(AUTOMATIONS_WITH_PROPERTY, [teamId, key]),

    /** Automations that the event starts, or for which they wait, the newest first. */
    automationsWithEvent: (teamId: string, name: string): Promise<(NamedRecord & { starts: boolean })[]> =>
      execute(AUTOMATIONS_WITH_EVENT, [teamId, name]),
  }
}

const TEMPLATES_WITH_TEXT = statement(
  'templates with a text',
  `
select t.id, t.name, array_agg(concat_ws(' ', v.subject, v.html, v.text)) as texts
from (select id, name, current_version_id, published_version_id from templates where team_id = $1 order by id desc limit ${LOOKED_THROUGH_MAX}) t
join template_versions v on v.id in (t.current_version_id, t.published_version_id)
where strpos(lower(concat_ws(' ', v.subject, v.html, v.text)), lower($2::text)) > 0
group by t.id, t.name order by t.id desc`,
)

/** Each beside the steps of the runs that it starts now. */
const NEWEST_AUTOMATIONS = `
(select id, name, trigger_event, version_id from automations where team_id = $1 and deleted_at is null order by id desc limit ${LOOKED_THROUGH_MAX}) a
join automation_versions v on v.id = a.version_id`

/** A reference and the field of a rule are texts of their own: `"contact.properties.plan"`. */
const AUTOMATIONS_WITH_PROPERTY = statement(
  'automations with a property',
  `
select a.id, a.name from ${NEWEST_AUTOMATIONS}
where strpos(v.steps::text, to_json('contact.properties.' || $2::text)::text) > 0
  or exists (select from jsonb_array_elements(v.steps) s where s->>'type' = 'contact_update' and s->'config'->'properties' ? $2::text)
order by a.id desc`,
)

const AUTOMATIONS_WITH_EVENT = statement(
  'automations with an event',
  `
select a.id, a.name, a.trigger_event = $2::text as starts from ${NEWEST_AUTOMATIONS}
where a.trigger_event = $2::text
  or exists (select from jsonb_array_elements(v.steps) s where s->>'type' = 'wait_for_event' and s->'config'->>'event_name' = $2::text)
order by a.id desc`,
)
