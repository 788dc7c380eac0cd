// Mail with a template, when its time comes.
import { beforeAll, expect, it } from 'vitest'
import { sendEmail, untilEvent } from '../../../support/builders/engine.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { startRelayService } from '../../../support/servers/mail-services.ts'
import { shared } from '../../../support/servers/service.ts'

const IN_MS = 600_000

const clock = createShiftingClock()

const service = shared(() => startRelayService({ clock }))
beforeAll(() => {
  service.startWorker()
})

it('is sent as it was accepted, also if the template was changed and deleted meanwhile', async () => {
  const template = await publishedTemplate(service)
  const id = await sendEmail(service, {
    template: { id: template, variables: { PRODUCT: 'a red lamp' } },
    scheduled_at: new Date(clock.now().getTime() + IN_MS).toISOString(),
    subject: undefined,
    text: undefined,
  })
  const answers = [
    await service.call('PATCH', `/templates/${template}`, { body: { html: '<p>Later.</p>' } }),
    await service.call('POST', `/templates/${template}/publish`),
    await service.call('DELETE', `/templates/${template}`),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(service.sink.messages).toEqual([])
  clock.shift(IN_MS)
  await untilEvent(service, id, 'delivered')
  expect(service.sink.messages).toHaveLength(1)
  const { raw = '' } = service.sink.messages[0] ?? {}
  expect(raw).toContain('Subject: a red lamp is on its way\r\n')
  expect(raw).toContain('<p>Thank you for a red lamp.</p>')
})
