// Whether the database was restored and its queue not resumed since; in SQL, because the statements that claim work ask it. Until then nothing leaves:
// mail is claimed by none and parked by the pause itself, and webhooks, broadcasts and automations rest. It is asked of a table that is nearly always
// empty. A worker that outlived a dropped database may ask while another is restored under the same name.
import { IS_NOT_BEING_RESTORED } from '../lib/restore-marker.ts'

export const IS_NOT_HELD = `(not exists (select from queue_pauses where backup_at is not null) and ${IS_NOT_BEING_RESTORED})`
