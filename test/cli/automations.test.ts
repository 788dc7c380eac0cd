import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addAutomation, createRunner, graphOf, runsOf, sendEvent } from '../support/builders/automations.ts'
import { UNKNOWN_ID } from '../support/builders/emails.ts'
import { createShiftingClock } from '../support/clocks/clocks.ts'
import { useCommandsBesideService } from './use-commands.ts'

const clock = createShiftingClock()
/** How often a worker looks for events that were set aside. */
const SET_ASIDE_LOOK_MS = 1_000
const { service, command, errorsWith } = useCommandsBesideService({ clock })

let automationId: string
let runAll: () => Promise<void>

beforeAll(async () => {
  ;({ runAll } = createRunner(service()))
  automationId = await addAutomation(service(), graphOf([], 'signed.up'))
})
afterEach(() => service().database.execute('delete from automation_occurrences'))

/** An event that was not told five times. */
async function setOneAside(): Promise<void> {
  await sendEvent(service(), 'signed.up')
  await service().database.execute(`update automation_occurrences set failures = 5, set_aside_until = 'infinity'`)
}

const statuses = async () => (await runsOf(service(), automationId)).map(({ status }) => status)

describe('automations tell-again', () => {
  it('has the events of all teams told that were set aside', async () => {
    await setOneAside()
    await runAll()
    expect(await statuses()).toEqual([])
    expect(await command('automations', 'tell-again')).toEqual({
      status: 0,
      out: 'The running service tries 1 event again.\n',
      errors: errorsWith(),
    })
    clock.shift(SET_ASIDE_LOOK_MS)
    await runAll()
    expect(await statuses()).toEqual(['completed'])
    expect((await command('automations', 'tell-again')).out).toBe('The running service tries 0 events again.\n')
  })

  it('leaves the events of other teams alone if one is named', async () => {
    await setOneAside()
    const dispatchAgain = (teamId: string) => command('automations', 'tell-again', '--team', teamId)
    expect((await dispatchAgain(service().other.teamId)).out).toBe('The running service tries 0 events again.\n')
    expect((await dispatchAgain(service().teamId)).out).toBe('The running service tries 1 event again.\n')
  })

  it('refuses a team that is not there', async () => {
    await setOneAside()
    expect(await command('automations', 'tell-again', '--team', UNKNOWN_ID)).toEqual({
      status: 1,
      out: '',
      errors: errorsWith(`There is no team "${UNKNOWN_ID}"; \`teams list\` shows all.\n`),
    })
    expect((await command('automations', 'tell-again')).out).toBe('The running service tries 1 event again.\n')
  })
})
