import { expect, it } from 'vitest'
import { importAtOnce } from '../../../support/builders/contact-imports.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService())

it('clears what refused rows said of a contact who is deleted, and of no one else', async () => {
  await service.call('POST', '/contact-properties', { body: { key: 'age', type: 'number' } })
  for (const email of ['ada@example.com', 'grace@example.com']) await service.call('POST', '/contacts', { body: { email } })
  const rows = [
    ' ADA@example.com ,Lovelace,n/a',
    '"""Ada"" <ada@example.com>",Lovelace,1',
    'Lovelace,ada@example.com,1,too many',
    'grace@example.com,Hopper,n/a',
    'not-ada@example.com,Nobody,n/a',
  ]
  const ended = await importAtOnce(service, { file: ['email,first_name,age', ...rows, ''].join('\n') })
  expect(ended).toMatchObject({ status: 'completed', counts: { total: 5, failed: 5 } })
  const report = async () =>
    (await service.call('GET', new URL(ended.report_url ?? '').pathname, { token: null })).text.trim().split('\r\n')
  expect((await report()).filter((line) => line.includes('Lovelace'))).toHaveLength(3)
  // What another team deletes clears nothing here.
  expect((await service.call('POST', '/contacts', { body: { email: 'grace@example.com' }, token: service.other.token })).status).toBe(201)
  await service.call('DELETE', '/contacts/grace@example.com', { token: service.other.token })
  expect((await service.call('DELETE', '/contacts/ada@example.com')).status).toBe(200)
  const lines = await report()
  expect(lines).toHaveLength(6)
  expect(lines.join('\n')).not.toMatch(/Lovelace|[ <,]ada@example/i)
  expect(lines.filter((line) => /Hopper|Nobody/.test(line))).toHaveLength(2)
})
