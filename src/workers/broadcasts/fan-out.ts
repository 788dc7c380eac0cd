// A step of a fan-out. The audience is looked up anew for each batch, because a segment, a topic or a property may be deleted meanwhile.
import type { Context } from '../../context.ts'
import type { ContactField } from '../../lib/audience/merge-fields.ts'
import { isCanceled } from '../../lib/database-errors.ts'
import { storedFields, subjectParts } from '../../mail/broadcasts/merge-values.ts'
import { contactPlaceholders, propertiesNamed } from '../../mail/rendering/contact-placeholders.ts'
import { readPlaceholders } from '../../mail/rendering/placeholders.ts'
import { readText } from '../../mail/rendering/rendering.ts'
import type { DueBroadcast } from '../../repositories/broadcasts/due-broadcasts.ts'
import { senderDomainOf } from '../../services/build-message.ts'
import { suppressedBy } from '../engine/suppressions.ts'

/** Contacts of a batch if the filter of a segment takes too long for so many. */
const CONTACTS_MAX_OF_SLOW_FILTERS = 250
/** After a filter took too long, or while the disk is almost full. */
const LOOK_AGAIN_MS = 30_000

type Dependencies = Pick<Context, 'repositories' | 'config' | 'clock' | 'gateways' | 'log' | 'wakeWorkers'>

/** Returns whether there is more to do at once. */
export async function fanOut(context: Dependencies, broadcast: DueBroadcast, contactsMax: number): Promise<boolean> {
  const { repositories, gateways, wakeWorkers } = context
  if (await gateways.diskSpace.isLow())
    return wait(context, broadcast, 'The server is almost out of disk space. The rest is sent once it has room again.')
  const content = await contentOf(context, broadcast)
  if (typeof content === 'string') {
    await repositories.dueBroadcasts.endFanOutAcrossTeams(broadcast.id, content)
    return true
  }
  const next = (count: number) => repositories.broadcastFanOut.next(broadcast.teamId, { ...content, broadcast, contactsMax: count })
  const done = await next(contactsMax).catch((error) => {
    if (!isCanceled(error)) throw error
    return next(CONTACTS_MAX_OF_SLOW_FILTERS).catch((again) => {
      if (!isCanceled(again)) throw again
      return 'too slow' as const
    })
  })
  if (done === 'too slow')
    return wait(context, broadcast, 'The filter of the segment takes too long. Give it fewer rules. It is tried again.')
  if (done === 'more') wakeWorkers()
  return done === 'more' || done === 'all'
}

/** Without reading it as HTML, for which it may be long. */
const namesIn = (text: string): string[] => [
  ...new Set(readPlaceholders(text).flatMap((part) => (typeof part === 'string' ? [] : [part.name]))),
]

async function contentOf({ repositories, config }: Dependencies, { id, teamId, segmentId, topicId, from }: DueBroadcast) {
  const [broadcast, segment, topic, properties] = await Promise.all([
    repositories.broadcasts.find(teamId, id),
    repositories.segments.find(teamId, segmentId),
    topicId === null ? null : repositories.topics.find(teamId, topicId),
    repositories.contactProperties.all(teamId),
  ])
  if (!broadcast) throw new Error('A broadcast that is being sent was deleted')
  if (!segment) return 'The segment was deleted. Contacts who had not been reached by then did not get the broadcast.'
  if (topicId !== null && !topic) return 'The topic was deleted. Contacts who had not been reached by then did not get the broadcast.'
  const subject = readText(broadcast.subject, 'line')
  const bodies = [broadcast.html, broadcast.text, broadcast.previewText].flatMap((text) =>
    text === null ? [] : [{ names: namesIn(text) }],
  )
  const names = [subject, ...bodies].flatMap((part) => part.names)
  const kept = broadcast.properties ?? (await repositories.dueBroadcasts.keepPropertiesAcrossTeams(id, propertiesNamed(names, properties)))
  const placeholders = contactPlaceholders(kept)
  // The values of a property that was deleted are hidden at once, also while a job removes them.
  const living = new Set<ContactField>(properties.map(({ number }) => number))
  const isThere = (field: ContactField): boolean => typeof field !== 'number' || living.has(field)
  return {
    audience: { segment: { id: segment.id, filter: segment.filter }, topic },
    subject: subjectParts(subject, placeholders).map((part) => (typeof part === 'string' || isThere(part.field) ? part : part.fallback)),
    fields: storedFields(bodies, placeholders).filter(isThere),
    fromDomain: senderDomainOf({ from }),
    delivery: config.delivery,
    suppressedDetail: suppressedBy,
  }
}

async function wait({ repositories, clock }: Dependencies, { id }: DueBroadcast, reason: string): Promise<boolean> {
  const until = new Date(clock.now().getTime() + LOOK_AGAIN_MS)
  await repositories.dueBroadcasts.waitAcrossTeams(id, { reason, isWaiting: false, until })
  return false
}
