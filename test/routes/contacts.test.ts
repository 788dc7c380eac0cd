import { Resend } from 'resend'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
let resend: Resend

beforeAll(async () => {
  service = await startTestService()
  resend = new Resend(service.token, { baseUrl: service.url })
})
afterAll(() => service.close())

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/)

describe('POST /contacts', () => {
  it('creates a contact, by id or address in the path', async () => {
    await resend.contactProperties.create({ key: 'company', type: 'string' })
    const { data, error } = await resend.contacts.create({
      email: 'Ada@Example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      unsubscribed: false,
      properties: { company: 'Analytical Engines' },
    })
    expect(error).toBeNull()
    expect(data).toEqual({ object: 'contact', id: UUID })
    const contact = {
      object: 'contact',
      id: data?.id,
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Lovelace',
      created_at: TIMESTAMP,
      unsubscribed: false,
      properties: { company: { value: 'Analytical Engines', type: 'string' } },
    }
    expect((await resend.contacts.get({ id: data?.id ?? '' })).data).toEqual(contact)
    expect((await resend.contacts.get({ email: 'ADA@example.com' })).data).toEqual(contact)
  })
})
