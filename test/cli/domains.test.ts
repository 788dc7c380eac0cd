import { beforeAll, describe, expect, it } from 'vitest'
import { createVerifiedDomain } from '../support/builders/domains.ts'
import { useCommandsBesideService } from './use-commands.ts'

const INSTALLATION = { MAIL_HOSTNAME: 'mx.posthaste.example', SECRET_KEY: 'the secret key of the service of this test' }

const { service, command: commandOf, commandWith, errorsWith } = useCommandsBesideService({ environment: INSTALLATION })
let ids: { first: string; second: string }

beforeAll(async () => {
  ids = { first: await register('acme.example'), second: await register('shared.example') }
  await register('shared.example', service().other.token)
})

const command = (...args: string[]) => commandOf('domains', ...args)

async function register(name: string, token = service().token): Promise<string> {
  return ((await service().call('POST', '/domains', { body: { name }, token })).body as { id: string }).id
}

describe('domains', () => {
  it("lists a team's domains, newest first", async () => {
    const { out } = await command('list', '--team', service().teamId)
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^DOMAIN {10}STATUS {7}CREATED {18}ID$/),
      expect.stringMatching(new RegExp(`^shared\\.example  not_started  [\\d-]{10} [\\d:]{8} UTC  ${ids.second}$`)),
      expect.stringMatching(new RegExp(`^acme\\.example    not_started  [\\d-]{10} [\\d:]{8} UTC  ${ids.first}$`)),
    ])
    const { body } = await service().call('GET', '/domains')
    expect(JSON.parse((await command('list', '--team', service().teamId, '--json')).out)).toEqual((body as { data: object }).data)
  })

  it('shows the records of a domain under their whole names', async () => {
    const { out } = await command('show', 'ACME.example')
    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(10)
    expect(lines[0]).toBe(`acme.example of team ${service().teamId}: not_started`)
    expect(lines[2]).toMatch(/^not_started {2}yes {5}MX {4}send\.acme\.example {12}10 mx\.posthaste\.example$/)
    expect(lines[4]).toMatch(/^not_started {2}yes {5}TXT {3}ph1\._domainkey\.acme\.example {2}v=DKIM1; k=rsa; p=/)
    expect(lines[7]).toMatch(/^KEY {2}ALGORITHM {7}STATE {5}SINCE {20}RECORD NEEDED UNTIL$/)
    expect(lines[8]).toMatch(/^ph1 {2}rsa-sha256 {6}not seen {2}[\d-]{10} [\d:]{8} UTC$/)
    const { body } = await service().call('GET', `/domains/${ids.first}`)
    expect(JSON.parse((await command('show', 'acme.example', '--json')).out)).toEqual(body)
  })

  it('prints the records of a domain as lines of a zone file, long ones in strings of 255 characters', async () => {
    const { out } = await command('show', 'acme.example', '--zone')
    expect(out.trimEnd().split('\n')).toEqual([
      'send.acme.example. 3600 IN MX 10 mx.posthaste.example.',
      'send.acme.example. 3600 IN TXT "v=spf1 a:mx.posthaste.example ~all"',
      expect.stringMatching(/^ph1\._domainkey\.acme\.example\. 3600 IN TXT "v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{237}" "[A-Za-z0-9+/=]+"$/),
      expect.stringMatching(/^ph2\._domainkey\.acme\.example\. 3600 IN TXT "v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]+="$/),
      '_dmarc.acme.example. 3600 IN TXT "v=DMARC1; p=none;"',
    ])
  })

  it('says that records lead nowhere where the server has no name', async () => {
    const { out, errors } = await commandWith({ MAIL_HOSTNAME: '' }, 'domains', 'show', 'acme.example')
    expect(out).toContain('10 localhost')
    expect(errors).toBe(
      errorsWith('These records point to localhost, because MAIL_HOSTNAME is not set. Set it on the server before you publish them.\n'),
    )
  })

  it.each([
    ['unknown.example', 'No team has the domain "unknown.example"; `domains list` shows all.\n'],
    ['no domain', 'No team has the domain "no domain"; `domains list` shows all.\n'],
    ['shared.example', 'Several teams have the domain "shared.example": name one with --team; `teams list` shows all.\n'],
  ])('refuses %s with status 1 and one line', async (name, errors) => {
    expect(await command('show', name)).toEqual({ status: 1, out: '', errors: errorsWith(errors) })
  })

  it('takes the domain of the team that is named', async () => {
    expect((await command('show', 'shared.example', '--team', service().other.teamId)).out).toContain(`of team ${service().other.teamId}`)
    expect(await command('show', 'acme.example', '--team', service().other.teamId)).toEqual({
      status: 1,
      out: '',
      errors: errorsWith('This team does not have the domain "acme.example"; `domains list` shows all.\n'),
    })
  })
})

describe('domains rotate-dkim', () => {
  const recordOf = (selector: string, type: string) =>
    new RegExp(`^pending  TXT   ${selector}\\._domainkey\\.rotated\\.example  v=DKIM1; k=${type}; p=[A-Za-z0-9+/]+=*$`)
  const LAST =
    'Leave the old records where they are; `domains show rotated.example` says when they are no longer needed, and prints all with --zone.'

  it('prints the records of new keys, and the same again while they are waited for', async () => {
    await createVerifiedDomain(service(), 'rotated.example')
    const started = await command('rotate-dkim', 'Rotated.example')
    expect({ ...started, out: started.out.trimEnd().split('\n') }).toEqual({
      status: 0,
      errors: errorsWith(),
      out: [
        'New keys of rotated.example are made. Publish these records; until each is seen, mail is signed as before:',
        expect.stringMatching(/^STATUS {3}TYPE {2}NAME +VALUE$/),
        expect.stringMatching(recordOf('ph3', 'rsa')),
        expect.stringMatching(recordOf('ph4', 'ed25519')),
        LAST,
      ],
    })
    const again = await command('rotate-dkim', 'rotated.example')
    expect(again.out.split('\n').slice(1)).toEqual(started.out.split('\n').slice(1))
    expect(again.out).toMatch(/^New keys of rotated\.example were made before, and wait for these records, which are looked for again:\n/)

    const shown = (await command('show', 'rotated.example')).out.trimEnd().split('\n').slice(-4)
    expect(shown.map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ['ph1', 'rsa-sha256', 'signing'],
      ['ph2', 'ed25519-sha256', 'signing'],
      ['ph3', 'rsa-sha256', 'next'],
      ['ph4', 'ed25519-sha256', 'next'],
    ])
  })

  it('makes no further keys when the new ones sign, except with --again', async () => {
    await service().database.execute(`
      update dkim_keys set seen_at = now(), retired_at = case when selector in ('ph1', 'ph2') then now() end
      where domain_id = (select id from domains where name = 'rotated.example')`)
    expect(await command('rotate-dkim', 'rotated.example')).toEqual({
      status: 1,
      out: '',
      errors: errorsWith(
        'The new keys of "rotated.example" sign already, as `domains show` says, so none were made. To replace them too, add --again.\n',
      ),
    })
    expect((await command('rotate-dkim', 'rotated.example', '--again')).out).toContain('ph5._domainkey.rotated.example')
  })

  it('is refused for a domain of which no key signs', async () => {
    expect(await command('rotate-dkim', 'acme.example')).toEqual({
      status: 1,
      out: '',
      errors: errorsWith(
        'No key of "acme.example" signs mail, so there is none to rotate: publish the records that `domains show` lists, and verify the domain first.\n',
      ),
    })
  })
})
