// A service that acts on complaints when it is told to, with a DNS for the keys that sign them, a clock that is moved, and what became of them.
import { actOnReports } from '../../../src/workers/reports/act-on-reports.ts'
import { stateOf } from '../builders/engine.ts'
import { storeInboundMessage } from '../builders/inbound-messages.ts'
import { complaintReport } from '../builders/returned-mail.ts'
import type { SentMail } from '../builders/sent-mail.ts'
import { keyNameOf, keyRecord } from '../builders/signed-reports.ts'
import { createMovingClock, type MovingClock } from '../clocks/moving-clock.ts'
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
  const environment = { DNS_SERVERS: dns.address, FEEDBACK_REPORTERS: 'arf.reporter.example, loop@webmail.example, staff@hotmail.com' }
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
