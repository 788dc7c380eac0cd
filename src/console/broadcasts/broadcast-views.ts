// What the pages of broadcasts show, read for the team of the session.
import type { Context } from '../../context.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import { createId, isId } from '../../lib/ids.ts'
import { contactReference } from '../../mail/address-forms.ts'
import type { RenderedContact } from '../../mail/rendering/contact-placeholders.ts'
import type { BroadcastRow } from '../../modules/broadcasts/broadcasts.repository.ts'
import { toBroadcastCounts } from '../../modules/broadcasts/broadcasts.routes.ts'
import { BROADCASTS } from '../../modules/broadcasts/broadcasts.schema.ts'
import { findWarnings, toSentences } from '../../modules/broadcasts/broadcasts.service.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import type { BroadcastProgress, BroadcastView } from './broadcast-page.ts'
import type { BroadcastListView } from './list-page.ts'

type Place = { after: string | null; before: string | null }

export function broadcastViews({ repositories, clock, previewOf }: Pick<Context, 'repositories' | 'clock' | 'previewOf'>) {
  const teamName = async (teamId: string): Promise<string> => (await repositories.teams.find(teamId))?.name ?? ''

  /** @throws Failure `notFound`, also for the broadcast of another team. */
  async function find(teamId: string, id: string): Promise<BroadcastRow> {
    const broadcast = isId(id) ? await repositories.broadcasts.find(teamId, id) : null
    if (!broadcast) throw notFound(BROADCASTS.noun)
    return broadcast
  }

  /** Someone without any values if no contact is named. */
  async function contactNamed(teamId: string, named: string): Promise<RenderedContact> {
    if (named === '') return { email: 'anyone@example.com', firstName: null, lastName: null, properties: {} }
    const reference = contactReference(named)
    const contact = reference && (await repositories.contacts.find(teamId, reference))
    if (!contact) throw invalid('No contact has this id or address.')
    return contact
  }

  async function progress(teamId: string, id: string): Promise<BroadcastProgress> {
    const broadcast = await find(teamId, id)
    const now = clock.now()
    return { broadcast, counts: toBroadcastCounts(await repositories.emailCounts.ofBroadcast(teamId, broadcast.id, now)), now }
  }

  return {
    find,
    progress,
    contactNamed,

    async list(teamId: string, { after, before }: Place): Promise<BroadcastListView> {
      const page = await repositories.broadcasts.list(teamId, { limit: LINES_PER_PAGE, after, before })
      return { teamName: await teamName(teamId), now: clock.now(), page, after: after ?? before, note: '' }
    },

    async broadcast(teamId: string, id: string, contact: string): Promise<BroadcastView> {
      const known = await progress(teamId, id)
      const { broadcast } = known
      const [segment, topic, warnings] = await Promise.all([
        repositories.segments.find(teamId, broadcast.segmentId),
        broadcast.topicId === null ? null : repositories.topics.find(teamId, broadcast.topicId),
        findWarnings({ repositories }, teamId, broadcast),
      ])
      const shown = await contactNamed(teamId, contact)
      return {
        ...known,
        teamName: await teamName(teamId),
        segmentName: segment?.name ?? null,
        topicName: topic?.name ?? null,
        preview: await previewOf({ teamId, emailId: null, broadcast, contact: shown, address: shown.email }),
        warnings: toSentences(warnings),
        contact,
        to: '',
        formId: createId(clock),
        note: '',
        problem: null,
      }
    },
  }
}
