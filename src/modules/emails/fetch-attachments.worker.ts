// Fetches the attachments that an email gives by URL, once, and then hands the email to the engine.

import type { PlatformContext } from '../../http/platform.context.ts'
import { Failure } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { checkFilename, checkFileType, contentTypeOf, encodedSize, MESSAGE_BYTES_MAX } from '../../mail/attachments.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import { refusalByState } from '../accounts/teams/team-states.ts'
import { takeStorage } from '../limits/team-storage.service.ts'
import type { EmailsContext } from './emails.context.ts'
import type { EmailToFetch, FetchedFile } from './fetched-attachments.repository.ts'
import { type NewDelivery, newDelivery } from './new-delivery.ts'

type Context = PlatformContext & AccountsContext & EmailsContext

const FILE_TIMEOUT_MS = 30_000
/** For all files of an email together, because other emails of the team wait for its place. */
const EMAIL_TIMEOUT_MS = 120_000
/** Enough that one slow server does not take all the time, and few enough for one server that has all the files. */
const FILES_AT_ONCE = 4

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'config' | 'clock' | 'quotas' | 'wakeWorkers'>

/** `signal`: the service is stopping, and wants to close what a fetch uses. */
export type FetchTask = { teamId: string; emailId: string; isLastTry: boolean; signal: AbortSignal }

/** The files are not available now, so the job is to be retried. */
export class FetchDelayed extends Error {}

export async function fetchAttachments(context: Dependencies, { teamId, emailId, isLastTry, signal }: FetchTask): Promise<void> {
  const { repositories, gateways, clock, config } = context
  const email = await repositories.fetchedAttachments.find(teamId, emailId)
  if (!email) return
  const rest = () => repositories.fetchedAttachments.enqueue(teamId, emailId, STOPPED_LOOK_SECONDS)
  if (await isOfStoppedTeam(context, teamId)) return await rest()
  const files: FetchedFile[] = []
  const discard = () => gateways.blobs.discard(files.map(({ blobKey }) => blobKey))
  const problem = await fetchAll(context, email, files, signal).catch(async (error) => {
    await discard()
    throw error
  })
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const room = problem ?? (await takeStorage(context, teamId, bytes))
  if (!('end' in room)) {
    const { reason, retry } = room instanceof Failure ? { reason: room.message, retry: true } : room
    await discard()
    // It has all its tries again once the team is back.
    if (retry && (await isOfStoppedTeam(context, teamId))) return await rest()
    // If we stopped the fetch, the server is not at fault, so the email does not fail because of it.
    if (retry && (!isLastTry || signal.aborted)) throw new FetchDelayed(reason)
    await failEmail(context, { teamId, emailId, reason, to: email.recipients.map(({ address }) => address) })
    return
  }
  const deliveriesFor = (scheduledAt: Date | null): NewDelivery[] =>
    email.recipients.map(({ id, address }) =>
      newDelivery({ recipient: { id, emailId, address }, dueAt: scheduledAt ?? clock.now(), now: clock.now(), delivery: config.delivery }),
    )
  // If this fails, it is unknown whether it was committed. The files stay, because rows may name them.
  const isComplete = await repositories.fetchedAttachments.complete(teamId, emailId, files, deliveriesFor).finally(room.end)
  if (isComplete) context.wakeWorkers()
  else await discard()
}

/** The emails of a team that is suspended or deleted wait, and look again after this time. */
const STOPPED_LOOK_SECONDS = 30

const isOfStoppedTeam = async ({ repositories }: Dependencies, teamId: string): Promise<boolean> =>
  refusalByState(await repositories.teams.stateOf(teamId), { writes: true }) !== null

type FetchProblem = { reason: string; retry: boolean }

type Waiting = [index: number, attachment: EmailToFetch['attachments'][number]]

/** Adds each file to `files` as it arrives, even if a later one fails, so that the caller can remove it. */
async function fetchAll(
  { gateways, clock }: Dependencies,
  email: EmailToFetch,
  files: FetchedFile[],
  signal: AbortSignal,
): Promise<FetchProblem | null> {
  const deadlineMs = clock.monotonicMs() + EMAIL_TIMEOUT_MS
  const waiting: Waiting[] = [...email.attachments.entries()].filter(([, { path, blobKey }]) => path !== null && blobKey === null)
  const problems: FetchProblem[] = []
  let bytesLeft = MESSAGE_BYTES_MAX - email.contentBytes - email.attachments.reduce((sum, { size }) => sum + encodedSize(size), 0)

  async function fetchOne([index, { id, path, filename: givenName, contentType: givenType }]: Waiting): Promise<FetchProblem | null> {
    const timeoutMs = Math.min(FILE_TIMEOUT_MS, deadlineMs - clock.monotonicMs())
    if (timeoutMs <= 0) return TOO_SLOW
    const blobKey = createId()
    const fetched = await gateways.remoteFiles.fetchFile(path ?? '', {
      // Encoded content takes more than four thirds of its size.
      bytesMax: Math.max(0, Math.floor((bytesLeft / 78) * 57)),
      timeoutMs: Math.ceil(timeoutMs),
      signal,
      store: (content) => gateways.blobs.put(blobKey, content),
    })
    if (!fetched.ok) {
      await gateways.blobs.discard([blobKey])
      return { reason: `The attachment ${givenName ?? index} could not be fetched. ${fetched.reason}`, retry: fetched.retry }
    }
    const filename = givenName ?? usableName(fetched.filename) ?? `attachment-${index}`
    const contentType = givenType === UNKNOWN_TYPE ? (fetched.contentType ?? contentTypeOf(filename, null)) : givenType
    files.push({ attachmentId: id, blobKey, size: fetched.bytes, filename, contentType })
    bytesLeft -= encodedSize(fetched.bytes)
    // Files that were fetched at the same time each had the limit that was left when they began.
    if (bytesLeft < 0) return TOO_LARGE
    const blocked = checkFileType(filename)
    return blocked && { reason: `The attachment ${filename} ${blocked.problem}, or give it a \`filename\`.`, retry: false }
  }

  async function fetchOneByOne(): Promise<void> {
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const problem = await fetchOne(next)
        if (problem) problems.push(problem)
        if (problem) waiting.length = 0
      }
    } catch (error) {
      waiting.length = 0
      throw error
    }
  }

  // Waits for all, so that no file arrives after the files of a failed email were removed.
  const ended = await Promise.allSettled(Array.from({ length: FILES_AT_ONCE }, fetchOneByOne))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return problems.find(({ retry }) => !retry) ?? problems[0] ?? null
}

/** The name from the server, if it is allowed for an attachment. Its type is checked separately, because a refused type fails the email. */
const usableName = (name: string | null): string | null =>
  name !== null && (checkFilename(name) === null || checkFileType(name) !== null) ? name : null

const TOO_SLOW: FetchProblem = {
  reason: `The attachments could not be fetched in ${EMAIL_TIMEOUT_MS / 1_000} seconds: their servers are too slow.`,
  retry: true,
}
const TOO_LARGE: FetchProblem = {
  reason: `The email has more than ${MESSAGE_BYTES_MAX / 1024 / 1024} MB once it is encoded. Send large files as links.`,
  retry: false,
}

const UNKNOWN_TYPE = 'application/octet-stream'

type FailedEmail = { teamId: string; emailId: string; reason: string; to: string[] }

/** The email fails, with its reason in the timeline. */
export async function failEmail(
  { repositories, clock }: Pick<Dependencies, 'repositories' | 'clock'>,
  { teamId, emailId, reason, to }: FailedEmail,
): Promise<void> {
  const notification = {
    id: createId(clock),
    teamId,
    type: 'email.failed' as const,
    subjectId: emailId,
    data: { to, detail: { failed: { reason } } },
  }
  await repositories.fetchedAttachments.fail(teamId, emailId, notification, clock.now())
}
