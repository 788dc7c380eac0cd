// A test with a date of the real world that also meets the system's clock passes only until that day.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Past years are safe: they are what "in the past" means. */
const DATE = /\b20(?:2[1-9]|[3-9]\d)-\d\d-\d\d/g
const SYSTEM_CLOCK =
  /startTestService\((?!\{[^}]*\bclock\b)|new Date\(\)|Date\.now\(\)|systemClock|create(?:Moving|Shifting)Clock\(\)|clock_timestamp\(|launch\(|createPlace\(/

/** Files in which both occur and never meet: how many dates, and why. */
const APART: Record<string, { dates: number; because: string }> = {
  'test/browser/automations.test.ts': { dates: 1, because: 'the date is written into a row and shown' },
  'test/gateways/web/https-probe.test.ts': { dates: 1, because: 'the date is what a server answers, and is read back' },
  'test/pages/automations/automations.test.ts': { dates: 2, because: 'the dates are written into rows and read back' },
  'test/repositories/emails/accept-emails.test.ts': { dates: 1, because: 'the date is handed in as the time of the request' },
  'test/repositories/imports/contact-imports.test.ts': { dates: 1, because: 'the date is that of a clock of its own' },
  'test/routes/automation-runs.test.ts': { dates: 3, because: 'the dates are written into rows and read back' },
  'test/routes/contact-segments.test.ts': { dates: 4, because: 'the dates are written into rows and read back' },
  'test/routes/segment-contacts.test.ts': { dates: 1, because: 'the date is a value of a filter that is read back' },
}

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `test/${name.replaceAll('\\', '/')}`)

const datesBesideTheClock = (file: string): number => {
  const text = readFileSync(file, 'utf8')
  return SYSTEM_CLOCK.test(text) ? (text.match(DATE)?.length ?? 0) : 0
}

it('reads the tests', () => expect(files.length).toBeGreaterThan(200))

it('is in no other test than those that keep the two apart', () => {
  const found = files.map((file) => [file, datesBesideTheClock(file)] as const).filter(([, dates]) => dates > 0)
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(Object.entries(APART).map(([file, { dates }]) => [file, dates])))
})
