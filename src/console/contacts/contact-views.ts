// What the pages of contacts show, read for the team of the session.
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { contactAddress, partOfContactAddress } from '../../mail/address-forms.ts'
import type { ContactRow } from '../../modules/audience/contacts/contact-rows.repository.ts'
import { CONTACTS } from '../../modules/audience/contacts/contacts.schema.ts'
import { TOPICS_MAX } from '../../modules/audience/topics/topics.schema.ts'
import { TIMELINE_PARTS } from '../../modules/privacy/contact-timelines.schema.ts'
import { attempt } from '../shell/form-attempt.ts'
import { type FoundLines, listLines, searchLines } from '../shell/found-lines.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import { formOf } from './contact-forms.ts'
import type { ContactView } from './contact-page.ts'
import type { EditView } from './edit-page.ts'
import type { ContactListView } from './list-page.ts'

export type Wanted = { words: string; after: string | null; before: string | null }

export const FIRST_PAGE: Wanted = { words: '', after: null, before: null }

/** The newest segments are offered. */
const SEGMENTS_OFFERED_MAX = 100
/** The segments of one contact that are shown. */
const SEGMENTS_SHOWN_MAX = 100
const ENTRIES_SHOWN = 30

export function contactViews({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const { contacts, contactProperties, contactSearches, contactSegments, contactTopics, contactTimelines, segments, suppressions, teams } =
    repositories

  const teamName = async (teamId: string): Promise<string> => (await teams.find(teamId))?.name ?? ''

  const page = async (teamId: string, { after, before }: Wanted): Promise<FoundLines<ContactRow>> =>
    listLines(await contacts.list(teamId, { limit: LINES_PER_PAGE, after, before }), { after, before })

  async function search(teamId: string, { words, after }: Wanted): Promise<FoundLines<ContactRow>> {
    // A whole address has an index.
    const email = contactAddress(words)
    const whole = typeof email === 'string' && after === null ? await contacts.find(teamId, { email }) : null
    if (whole) return searchLines({ rows: [whole], next: null, searchedMax: null }, { after })
    const part = partOfContactAddress(words)
    return searchLines(await contactSearches.search(teamId, { words, part, after, limit: LINES_PER_PAGE }), { after })
  }

  /** @throws Failure `notFound`, also for the contact of another team. */
  async function find(teamId: string, id: string): Promise<ContactRow> {
    const contact = isId(id) ? await contacts.find(teamId, { id: id.toLowerCase() }) : null
    if (!contact) throw notFound(CONTACTS.noun)
    return contact
  }

  return {
    teamName,
    find,

    async list(teamId: string, wanted: Wanted): Promise<ContactListView> {
      const found = await (wanted.words === '' ? page(teamId, wanted) : search(teamId, wanted))
      return { ...found, teamName: await teamName(teamId), now: clock.now(), words: wanted.words, form: {}, problem: null, note: '' }
    },

    async edit(teamId: string, id: string): Promise<EditView> {
      const [contact, properties] = await Promise.all([find(teamId, id), contactProperties.all(teamId)])
      return { teamName: await teamName(teamId), contact, properties, form: formOf(contact, properties), problem: null }
    },

    async contact(teamId: string, id: string, after: string | null): Promise<ContactView> {
      const contact = await find(teamId, id)
      const { email } = contact
      const known = { limit: SEGMENTS_SHOWN_MAX, after: null, before: null }
      const ofContact = await attempt(() => contactSegments.list(teamId, contact.id, known))
      const [properties, offered, topics, suppression, timeline] = await Promise.all([
        contactProperties.all(teamId),
        segments.newestToCount(teamId, SEGMENTS_OFFERED_MAX),
        contactTopics.list(teamId, contact.id, { limit: TOPICS_MAX, after: null, before: null }),
        suppressions.find(teamId, { email }),
        contactTimelines.read(teamId, { contactId: contact.id, email, parts: TIMELINE_PARTS, after, limit: ENTRIES_SHOWN }),
      ])
      return {
        teamName: await teamName(teamId),
        now: clock.now(),
        contact,
        properties,
        segments: 'done' in ofContact ? { rows: ofContact.done.rows } : { sentence: ofContact.problem.sentence },
        choices: offered.filter(({ filter }) => filter === null),
        topics: topics.rows,
        isSuppressed: suppression !== null,
        timeline: { page: timeline, after, topicNames: new Map(topics.rows.map(({ id: topicId, name }) => [topicId, name])) },
        problem: null,
        note: '',
      }
    },
  }
}
