// What the pages of events show, read for the team of the session.
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { contactAddress } from '../../mail/address-forms.ts'
import type { EventRow } from '../../modules/events/events.repository.ts'
import { EVENTS } from '../../modules/events/events.schema.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import { schemaText } from './event-forms.ts'
import type { EventView, SentByContact } from './event-page.ts'
import type { EventListView } from './list-page.ts'

/** Each may have a payload of 64 KiB. */
const SENT_SHOWN_MAX = 20

export function eventViews({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const { automations, contacts, events, sentEvents, teams } = repositories

  const teamName = async (teamId: string): Promise<string> => (await teams.find(teamId))?.name ?? ''

  /** @throws Failure `notFound`, also for the event of another team. */
  async function find(teamId: string, id: string): Promise<EventRow> {
    const event = isId(id) ? await events.find(teamId, { id: id.toLowerCase() }) : null
    if (!event) throw notFound(EVENTS.noun)
    return event
  }

  async function sentBy(teamId: string, typed: string): Promise<SentByContact> {
    const address = contactAddress(typed)
    const contact = typeof address === 'string' ? await contacts.find(teamId, { email: address }) : null
    if (!contact) return { address: typed, isUnknown: true, rows: [], hasMore: false }
    const page = await sentEvents.listOf(teamId, contact, { limit: SENT_SHOWN_MAX, after: null, before: null })
    return { address: contact.email, isUnknown: false, ...page }
  }

  return {
    find,

    async list(teamId: string, { after, before }: Pick<PageRequest, 'after' | 'before'>): Promise<EventListView> {
      const page = await events.list(teamId, { limit: LINES_PER_PAGE, after, before })
      return { teamName: await teamName(teamId), now: clock.now(), page, after: after ?? before, form: {}, problem: null, note: '' }
    },

    /** `contact`: the address whose events are shown, as it was typed; empty for none. */
    async event(teamId: string, id: string, { contact = '' }: { contact?: string | undefined } = {}): Promise<EventView> {
      const event = await find(teamId, id)
      const sent = contact.trim() === '' ? null : await sentBy(teamId, contact.trim())
      const common = { teamName: await teamName(teamId), now: clock.now(), problem: null, note: '' }
      return { ...common, event, schema: schemaText(event.schema), sent, automations: await automations.startedBy(teamId, event.name) }
    },
  }
}
