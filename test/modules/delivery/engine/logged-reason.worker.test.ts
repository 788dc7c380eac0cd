import { expect, it } from 'vitest'
import { loggedReason } from '../../../../src/modules/delivery/engine/batch.ts'

it.each([
  ['550 5.1.1 <jane@example.com>: no such user', '550 5.1.1 [address] no such user'],
  ['550 "jane doe"@example.com is gone', '550 [address] is gone'],
  ['550 jane(at)example.com or jane[AT]example.com', '550 [address] or [address]'],
  [`${'x '.repeat(148)}jane@example.com`, `${'x '.repeat(148)}[add`],
])('writes %s without the address', (text, wanted) => expect(loggedReason(text)).toBe(wanted))
