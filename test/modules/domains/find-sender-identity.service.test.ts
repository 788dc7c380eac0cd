import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createRsaKeyPair, type DkimAlgorithm } from '../../../src/lib/crypto/keys.ts'
import { createDkimKeyMaker } from '../../../src/modules/domains/dkim/dkim-keys.service.ts'
import type { SendingDomain } from '../../../src/modules/domains/sender.repository.ts'
import { createSenderIdentitySearch } from '../../../src/modules/domains/sender-identity.service.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'

/** One team with the domain example.com and the keys that a test adds. */
function world() {
  const clock = createMovingClock()
  const versions = { signing: 1, keys: new Map([[1, randomBytes(32)]]) }
  const make = createDkimKeyMaker({ takeRsaKeyPair: createRsaKeyPair, versionsOf: () => versions, clock })
  const stored: (Awaited<ReturnType<typeof make>> & { selector: string })[] = []
  const asked: string[] = []
  const errors: unknown[] = []
  const state = { failure: null as Error | null }
  const settings: SendingDomain = { id: 'domain', requiresTls: false, returnPathHost: null, tracking: null }
  const identityOf = createSenderIdentitySearch({
    sendingDomains: {
      async find(teamId, name) {
        asked.push(`${teamId} ${name}`)
        if (state.failure) throw state.failure
        return teamId === 'team' && name === 'example.com' ? { ...settings } : null
      },
    },
    dkimKeys: { signingKeysOf: async (teamId, domainId) => (teamId === 'team' && domainId === 'domain' ? [...stored] : []) },
    versionsOf: () => versions,
    trackingUrlOf: (host) => `https://${host}`,
    defaultTracking: { baseUrl: 'https://track.example.net', domainId: null, opens: true, clicks: false },
    clock,
    log: { error: (details: unknown) => void errors.push(details) },
  })
  return {
    clock,
    asked,
    errors,
    state,
    stored,
    settings,
    identityOf,
    async add(selector: string, algorithm: DkimAlgorithm = 'ed25519-sha256') {
      const key = { ...(await make(algorithm, 'team')), selector }
      stored.push(key)
      return key
    },
    find: async (teamId = 'team', name = 'example.com') =>
      (await identityOf(teamId, name)).signers.map(({ domain, selector, algorithm, privateKey }) => [
        domain,
        selector,
        algorithm,
        privateKey.asymmetricKeyType,
      ]),
  }
}

it('finds the opened keys of the domain, and none of another', async () => {
  const { add, find } = world()
  await add('ph1', 'rsa-sha256')
  await add('ph2')
  expect(await find()).toEqual([
    ['example.com', 'ph1', 'rsa-sha256', 'rsa'],
    ['example.com', 'ph2', 'ed25519-sha256', 'ed25519'],
  ])
  expect([await find('other'), await find('team', 'example.net')]).toEqual([[], []])
})

it('asks once for all messages of ten seconds, and then learns of new keys', async () => {
  const { add, find, clock, asked } = world()
  await add('ph1')
  const found = await Promise.all([find(), find(), find()])
  expect(found.map((signers) => signers.length)).toEqual([1, 1, 1])
  await add('ph2')
  clock.advance(9_999)
  expect((await find()).length).toBe(1)
  expect(asked).toEqual(['team example.com'])
  clock.advance(1)
  expect((await find()).length).toBe(2)
  expect(asked.length).toBe(2)
})

it('learns at once of the first key of a domain, also beside a search that began before', async () => {
  const { add, find } = world()
  const early = find()
  await add('ph1')
  expect((await find()).length).toBe(1)
  await early
  expect((await find()).length).toBe(1)
})

it('learns within ten seconds where bounces return, and whether TLS is required', async () => {
  const { add, settings, identityOf, clock } = world()
  await add('ph1')
  const settingsOf = async (name = 'example.com') => {
    const { returnPathHost, requiresTls } = await identityOf('team', name)
    return { returnPathHost, requiresTls }
  }
  const [before, after] = [
    { returnPathHost: null, requiresTls: false },
    { returnPathHost: 'send.example.com', requiresTls: true },
  ]
  expect(await settingsOf()).toEqual(before)
  Object.assign(settings, after)
  clock.advance(9_999)
  expect(await settingsOf()).toEqual(before)
  clock.advance(1)
  expect([await settingsOf(), await settingsOf('example.net')]).toEqual([after, before])
})

it('tracks the mail of a domain as its settings say, and that of other senders as the operator says', async () => {
  const { settings, identityOf } = world()
  settings.tracking = { host: 'links.example.com', opens: false, clicks: true }
  const trackingOf = async (name: string) => (await identityOf('team', name)).tracking
  expect(await trackingOf('example.com')).toEqual({ baseUrl: 'https://links.example.com', domainId: 'domain', opens: false, clicks: true })
  expect(await trackingOf('example.net')).toEqual({ baseUrl: 'https://track.example.net', domainId: null, opens: true, clicks: false })
})

it('does not track the mail of a domain whose settings do not ask for it, whatever the operator says', async () => {
  expect((await world().identityOf('team', 'example.com')).tracking).toBe(null)
})

it('does not remember a failure', async () => {
  const { add, find, state } = world()
  await add('ph1')
  state.failure = new Error('the database does not answer')
  await expect(find()).rejects.toThrow('the database does not answer')
  state.failure = null
  expect((await find()).length).toBe(1)
})

it('leaves out a key that cannot be opened or is of another kind, and says so without the key', async () => {
  const { add, find, stored, errors } = world()
  const moved = await add('ph1')
  const misnamed = await add('ph2')
  await add('ph3')
  stored.splice(0, 2, { ...moved, id: 'another id' }, { ...misnamed, algorithm: 'rsa-sha256' })
  expect(await find()).toEqual([['example.com', 'ph3', 'ed25519-sha256', 'ed25519']])
  expect(errors).toEqual(['another id', misnamed.id].map((dkimKeyId) => ({ teamId: 'team', dkimKeyId, keyVersion: 1 })))
})
