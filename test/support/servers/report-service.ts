// A service that acts on returned mail when it is told to, with a clock that is moved, and what became of that mail.
import { expect } from 'vitest'
import type { NewInboundMessage } from '../../../src/repositories/inbound/inbound-messages.ts'
import { actOnReports } from '../../../src/workers/reports/act-on-reports.ts'
import { storeInboundMessage } from '../builders/inbound-messages.ts'
import { type SentMail, sentToOne } from '../builders/sent-mail.ts'
import { createMovingClock, type MovingClock } from '../clocks/moving-clock.ts'
import { startTestService, type TestService } from './service.ts'

export type ReportedEvent = { type: string; to: string[]; detail: unknown }

type Verdict = { state: string; verdict: string | null; reason: string | null }

export type ReportService = TestService & {
  clock: MovingClock
  act(): Promise<number>
  sentToOne(fields?: Record<string, unknown>, kind?: 'delivered' | 'delayed', token?: string): Promise<SentMail>
  /** Stores what comes back to the return path of a recipient. */
  returned(to: Pick<SentMail, 'recipientId'>, content: string): Promise<NewInboundMessage>
  /** What became of each message, in the order in which they came. */
  verdicts(): Promise<Verdict[]>
  /** All were acted upon, and these are their verdicts. */
  verdictsAre(...expected: string[]): Promise<void>
  suppressions(token?: string): Promise<unknown[]>
  timeline(emailId: string, token?: string): Promise<ReportedEvent[]>
  newest(emailId: string): Promise<ReportedEvent | undefined>
  forget(): Promise<void>
}

export async function startReportService(): Promise<ReportService> {
  const clock = createMovingClock()
  const service = await startTestService({ clock })
  const { database, teamId, other } = service

  const verdicts = () => database.execute<Verdict>(`select state, verdict, detail->>'reason' as reason from inbound_messages order by id`)

  async function timeline(emailId: string, token = service.token): Promise<ReportedEvent[]> {
    const { body } = await service.call('GET', `/emails/${emailId}/events`, { token })
    return (body as { data: ReportedEvent[] }).data
  }

  return {
    ...service,
    clock,
    act: () => actOnReports(service.service.context),
    sentToOne: (fields = {}, kind = 'delivered', token) => sentToOne(service, fields, { kind, ...(token !== undefined && { token }) }),
    returned: ({ recipientId }, content) => storeInboundMessage(service, { recipientId, content }),
    verdicts,
    async verdictsAre(...expected) {
      expect((await verdicts()).map(({ state, verdict }) => `${state} ${verdict}`)).toEqual(expected.map((verdict) => `done ${verdict}`))
    },
    suppressions: (token = service.token) =>
      database.execute('select email, origin, source_id as "sourceId" from suppressions where team_id = $1 order by email', [
        token === service.token ? teamId : other.teamId,
      ]),
    timeline,
    newest: async (emailId) => (await timeline(emailId))[0],
    forget: async () => void (await database.execute('truncate inbound_messages, suppressions, deliveries')),
  }
}
