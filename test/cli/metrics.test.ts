import { beforeAll, expect, it } from 'vitest'
import { happen } from '../support/builders/emails.ts'
import { sendEmail } from '../support/builders/engine.ts'
import { useCommandsBesideService } from './use-commands.ts'

const DAY_MS = 86_400_000

const { service, command } = useCommandsBesideService()
let yesterday: Date

beforeAll(async () => {
  yesterday = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS)
  await happen(service(), await sendEmail(service()), [{ type: 'email.sent', at: yesterday }])
  await service().service.context.repositories.countChanges.addUpAcrossTeams()
  await service().database.execute('update email_counts set sent = 3 where sent = 1')
})

const recount = (...args: string[]) => command('metrics', 'recount', ...args)
const nameOf = (day: Date) => day.toISOString().slice(0, 10)

it('says what differs, corrects it when it is told to, and then says that nothing differs', async () => {
  const day = nameOf(yesterday)
  const table = ['METRIC  COUNTED  EVENTS', 'sent          3       1']
  expect(await recount(day)).toMatchObject({
    status: 1,
    out: [...table, `The metrics of ${day} differ from its events; \`--correct\` replaces them.`, ''].join('\n'),
  })
  expect(await recount(day, '--correct')).toMatchObject({
    status: 0,
    out: [...table, `The metrics of ${day} are corrected.`, ''].join('\n'),
  })
  expect(await recount(day)).toMatchObject({ status: 0, out: `The metrics of ${day} match its events.\n` })
})

it('refuses what is no day, and days whose events are not kept', async () => {
  expect(await recount('yesterday')).toMatchObject({ status: 2 })
  const tooOld = nameOf(new Date(yesterday.getTime() - 60 * DAY_MS))
  const { status, errors } = await recount(tooOld)
  expect({ status, isExplained: errors.includes(`The events of ${tooOld} were removed`) }).toEqual({ status: 1, isExplained: true })
})
