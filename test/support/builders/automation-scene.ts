// A service whose automations are started by an event, and the address that the event is about. Both differ in each test, so that no event starts what
// another test has stored.
import { beforeAll, beforeEach } from 'vitest'
import type { Step } from '../../../src/lib/automations/graph.ts'
import { createShiftingClock } from '../clocks/shifting-clock.ts'
import { useTestService } from '../servers/use-test-service.ts'
import { type AutomationSettings, addAutomation, chain, createRunner, onlyRunOf, sendEvent } from './automation-runs.ts'
import { publishedTemplate } from './templates.ts'

/** Registers with the suite in which it is called. */
export function useAutomationScene() {
  const clock = createShiftingClock()
  const service = useTestService({ clock })
  let runner: ReturnType<typeof createRunner>
  const ofTest = { number: 0, event: '', address: '', template: '' }
  const scene = Object.assign(ofTest, {
    clock,
    service,
    runAll: () => runner.runAll(),
    send: (name = ofTest.event, changes: object = {}) => sendEvent(service, name, { email: ofTest.address, ...changes }),
    mail: (config: object = {}, key = 'mail'): Step => ({
      key,
      type: 'send_email',
      config: { template: { id: ofTest.template }, ...config },
    }),
    add: (steps: Step[], settings: AutomationSettings = {}) => addAutomation(service, chain(steps, ofTest.event), settings),
    onlyRun: (id: string) => onlyRunOf(service, id),
  })
  beforeAll(async () => {
    runner = createRunner(service)
    ofTest.template = await publishedTemplate(service)
  })
  beforeEach(() => {
    const number = ofTest.number + 1
    Object.assign(ofTest, { number, event: `event.${number}`, address: `person${number}@example.org` })
  })
  return scene
}
