// A service that acts on complaints when it is told to, with a DNS for the keys that sign them, a clock that is moved, and what became of them.

import { expect } from 'vitest'
import { actOnReports } from '../../../src/modules/bounces/reports.worker.ts'
import type { NewInboundMessage } from '../../../src/modules/inbound/inbound-messages.repository.ts'
import { type SentMail, sentToOne, stateOf } from '../builders/engine.ts'
import { storeInboundMessage } from '../builders/received-emails.ts'
import { complaintReport, keyNameOf, keyRecord } from '../builders/returned-mail.ts'
import { createMovingClock, type MovingClock } from '../clocks/clocks.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { startTestService, type TestService } from './service.ts'

/** Where complaints come in. */
export const FBL = 'fbl@mail.example.com'

const SIGNING = [
  ...['example.org', 'mx.example.org', 'reporter.example', 'arf.reporter.example', 'eu.arf.reporter.example'],
  ...['webmail.example', 'elsewhere.example', 'hotmail.com'],
]

export type ComplaintOutcome = { states: unknown; suppressed: string[]; messages: Record<string, unknown>[] }

export type ComplaintService = TestService & {
  dns: DnsServer
  clock: MovingClock
  act(): Promise<number>
  reported(content: string): Promise<unknown>
  /** What became of an email, of the list of suppressions, and of all complaints. */
  outcome(one: SentMail): Promise<ComplaintOutcome>
  /** Removes all complaints, and gives each domain its key again. */
  forget(): Promise<void>
}

export async function startComplaintService(): Promise<ComplaintService> {
  const dns = await startDnsServer({})
  const clock = createMovingClock()
  const environment = { DNS_SERVERS: dns.address, COMPLAINT_REPORTERS: 'arf.reporter.example, loop@webmail.example, staff@hotmail.com' }
  const service = await startTestService({ clock, environment })
  const { database } = service
  return {
    ...service,
    dns,
    clock,
    act: () => actOnReports(service.service.context),
    reported: (content) => storeInboundMessage(service, { purpose: 'feedback', rcptTo: FBL, content }),
    outcome: async (one) => ({
      states: (await stateOf(service, one.emailId)).recipients,
      suppressed: (await database.execute<{ email: string }>('select email from suppressions order by email')).map(({ email }) => email),
      messages: await database.execute(`select state, verdict, detail->>'reason' as reason from inbound_messages order by id`),
    }),
    async forget() {
      dns.queries.length = 0
      for (const domain of SIGNING) dns.zone[keyNameOf(domain)] = keyRecord
      await database.execute('truncate inbound_messages, suppressions, deliveries')
    },
    async close() {
      await service.close()
      await dns.close()
    },
  }
}

/** By sender and recipient of the envelope, which others know too. */
export const complaintOf = (one: SentMail, sender: string, sentTo = `Reports <${FBL}>`): string =>
  complaintReport({ sender, sentTo, originalMailFrom: 'hello@example.com', originalRcptTo: [one.address] })

export const acted = (one: SentMail): ComplaintOutcome => ({
  states: ['complained'],
  suppressed: [one.address],
  messages: [{ state: 'done', verdict: 'complaint', reason: null }],
})

export const refused = (what: string): ComplaintOutcome => ({
  states: ['delivered'],
  suppressed: [],
  messages: [{ state: 'done', verdict: 'unmatched', reason: `The report is not authenticated: ${what}.` }],
})

// A service that acts on returned mail when it is told to, with a clock that is moved, and what became of that mail.

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
