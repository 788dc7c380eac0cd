// The table, as it is printed and as it is written to docs/faults.md.
import { cpus } from 'node:os'
import type { Row } from './trial.ts'

const HEADINGS = ['fault', 'accepted', 'delivered', 'lost', 'twice', 'in flight', 'refused', 'first after', 'pause', 'all after', 'remarks']

export function tableOf(rows: Row[]): string {
  const lines = [
    HEADINGS,
    HEADINGS.map((_, index) => (index === 0 || index === HEADINGS.length - 1 ? '---' : '---:')),
    ...rows.map(cellsOf),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export function cellsOf(row: Row): string[] {
  if (row.notRun) return [row.fault, ...Array.from({ length: HEADINGS.length - 2 }, () => ''), `not run: ${row.remark}`]
  const { accepted, delivered, lost, duplicates, inFlight, refused } = row
  const remarks = [row.remark, ...row.problems.map((problem) => `**${problem}**`)].filter((part) => part !== '')
  return [
    row.fault,
    ...[accepted, delivered, lost, duplicates, inFlight, refused].map(String),
    seconds(row.firstMs),
    seconds(row.pauseMs),
    seconds(row.allMs),
    remarks.join('; '),
  ]
}

const seconds = (ms: number | null): string => (ms === null ? '' : `${(ms / 1_000).toFixed(1)} s`)

export const documentOf = (rows: Row[], { date, minutes }: { date: Date; minutes: number }): string => `# Faults

What becomes of emails, of mail that comes in or is submitted, of the events that go to webhooks, and of runs of automations, when something breaks. \`npm run faults\` makes this table: real processes, a real PostgreSQL and a mail server on
loopback, one fault after the other (${minutes} minutes). \`npm run faults -- --list\` names the faults, \`npm run faults -- <name>\` runs one,
\`--quick\` sends fewer emails. It ends with an error when anything is lost, or more arrives twice than was in flight.

Made on ${date.toISOString().slice(0, 10)} with ${cpus().length} cores and Node.js ${process.versions.node}; clients, mail server, PostgreSQL and all processes share them.

${tableOf(rows)}

- **accepted**: answered with 200. Clients that get no answer ask again with the same \`Idempotency-Key\`. **delivered**: of these, at the mail
  server. **lost**: of these, neither delivered nor refused for good by the mail server.
- **twice**: messages that the mail server got again. **in flight**: attempts that were open when the fault was made, of the processes that it
  concerned: a message can only arrive twice when it was on its way. For a mail server that takes messages and does not say so, the messages it took.
- **refused**: requests answered with 503, or not at all.
- **first after**: from the fault to the first delivery that was begun after it. **pause**: the longest time without any delivery while clients
  were sending. **all after**: from the fault to the last delivery, with all that clients still sent.
  A worker that is gone is missed after 20 s, and what it held is delivered then; new mail does not wait for that.
- Rolling restarts: clients send about 160 emails a second through Caddy, which asks each process for \`/health/ready\`. A request that is refused, or gets no
  answer, is an error there. It needs \`apt-get install caddy\`.
- Rolling restarts of SMTP servers: four programs that submit mail and four mail servers send at the same time through HAProxy, which asks each process for
  \`/health/ready\` and names the peer by the PROXY protocol. **refused** are tries without a 250, which the client repeated: a 421 or 451, or a connection that
  ended between two messages. Messages have no idempotency key, so one that was sent again after it had been accepted would count as **twice**. It needs
  \`apt-get install haproxy\`.
- The drills with little memory make a control group, of version 1 or 2, and need the right to do so.
- A process that is stopped for two minutes (SIGSTOP, SIGCONT) starts no SMTP transaction and ends none that another process has taken over.
  Twice are at most the messages whose final dot was out when it was stopped and whose outcome was not written yet.
- The clock jumps for the processes of the service, not for PostgreSQL. What is due later (scheduled, or put off) goes by the wall clock.
- Second tries after a misbehaving mail server begin at once here; the service waits a minute.
- Rows of mail for a team count messages that came in. **accepted**: answered with 250. **delivered**: of these, read and listed, with one event
  each. **twice**: listed twice, because the sender got no 250 and sent it again. **in flight**: connections that were sending. **refused**: tries
  without a 250, which were repeated.
- Rows of webhooks count events instead of emails. **accepted**: their transactions were committed. **delivered**: the endpoint has verified them
  and answered with 200. **in flight**: requests that ran when the fault was made, or that the worker had claimed. **refused**: attempts that
  failed, and were repeated.
- Retries after an endpoint was down, or refused the signatures of a clock that was set forward, begin at once here; the service waits for minutes, or
  until the clock gets there.
- A webhook has places for 20 requests here. What a dead worker had on its way keeps its places until the worker is missed. If it was stopped in the
  middle of a claim, PostgreSQL ends the claim after 30 s.
- Rows of automations count the emails of runs that send, wait for two seconds and send again, on a mail server that answers slowly. An event starts each
  run, and events that are not answered are sent again with the same \`Idempotency-Key\`. Every run ends once and makes each of its emails once; otherwise
  the remarks say so. **refused**: requests for events that were repeated.
  \`test/journeys/automations-killed.test.ts\` kills the only process five times while 2,000 runs of six steps go through it.
`

const MACHINES = '\n## Many machines\n'

/** The chapter that `npm run cluster` has written; empty if there is none. */
export const machinesOf = (document: string): string => (document.includes(MACHINES) ? document.slice(document.indexOf(MACHINES)) : '')

export const withMachines = (document: string, rows: Row[], { date, versions }: { date: Date; versions: string }): string =>
  `${document.slice(0, document.length - machinesOf(document).length)}${MACHINES}
\`npm run cluster\` makes this table: two nodes of PostgreSQL with Patroni, etcd and pgbouncer from Debian, and three processes of each role, all on one
machine and over loopback. Commits wait for the standby (\`synchronous_mode\`). Clients, workers and columns are those of the table above. It needs
\`apt-get install postgresql patroni etcd-server pgbouncer\`, ends by itself after half an hour at most, and ends with an error when anything is lost, or
more arrives twice than was in flight.

Made on ${date.toISOString().slice(0, 10)} with ${cpus().length} cores, Node.js ${process.versions.node}, ${versions}.

${tableOf(rows)}

- The loss of a machine is SIGKILL of Patroni and all of its PostgreSQL. Patroni waits \`ttl: 20\` seconds, the shortest that it takes, before it makes the
  standby the primary; that is the time in which nothing is accepted, and clients are answered with 503 meanwhile. Its callback writes the address of the new
  primary to pgbouncer's list of databases and has it read again. The lost node is started again then, is rewound, and the next kill waits until commits
  wait for it.
- A primary that falls silent ends no connection. Statements on its connections wait until the service gives them up after 35 seconds, also if the standby
  took over long before; with \`tcp_user_timeout\` and \`tcp_keepidle\` pgbouncer notices a machine without power sooner.
- pgbouncer runs with \`pool_mode = session\` and \`server_login_retry = 1\`; with its default it refuses everyone for 15 seconds after it has found no server.
- The network is cut by a proxy that stops forwarding and says nothing to either end. What was on the way arrives when the cut is over. The worker that is cut
  off ends its SMTP connections after 12 s, others deliver what it held after 20 s, and it begins anew after the cut.
`
