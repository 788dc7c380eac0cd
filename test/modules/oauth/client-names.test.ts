import { describe, expect, it } from 'vitest'
import { clientNameProblem } from '../../../src/modules/oauth/clients.ts'

describe('a name that looks like ours', () => {
  it.each([
    'Posthaste',
    'POSTHASTE Console',
    'The Posthaste app',
    'Post-Haste',
    'p o s t h a s t e',
    'P\u043esthaste',
    '\u0440\u043e\u0455\u0442\u04bb\u0430\u0455\u0442\u0435',
    '\u0420\u041e\u0405\u0422\u041d\u0410\u0405\u0422\u0415',
    '\u03a1\u039f\u03a3\u03a4\u0397\u0391\u03a3\u03a4\u0395'.replaceAll('\u03a3', 'S'),
    '\u{1d40f}\u{1d428}\u{1d42c}\u{1d42d}\u{1d421}\u{1d41a}\u{1d42c}\u{1d42d}\u{1d41e}',
    '\uff30\uff4f\uff53\uff54\uff48\uff41\uff53\uff54\uff45',
    'Posthast\u00e9',
    'P0sth4ste',
    'P05th@ste Login',
    'Posthasste',
    'Posthaste\u200b',
    'Post\u200dhaste',
  ])('is refused: %s', (name) => {
    expect(clientNameProblem(name)).toMatch(/^`client_name` must /)
  })
})

it.each([
  ['Edit\u043er', '`client_name` must not mix scripts in a word whose letters look alike.'],
  ['Newsletter \u0395ditor', '`client_name` must not mix scripts in a word whose letters look alike.'],
  ['Edi\u200btor', '`client_name` must be one line of visible text.'],
  ['Edi\u2060tor', '`client_name` must be one line of visible text.'],
  ['Edi\u00adtor', '`client_name` must be one line of visible text.'],
  ['Edi\u200ctor', '`client_name` must be one line of visible text.'],
  ['Editor\u200d', '`client_name` must be one line of visible text.'],
  ['Editor\u{e0041}', '`client_name` must be one line of visible text.'],
  ['Editor \u2066x\u2069', '`client_name` must be one line of visible text.'],
])('refuses a name that is not what it looks like: %j', (name, problem) => {
  expect(clientNameProblem(name)).toBe(problem)
})

it.each([
  'Newsletter editor',
  'Post office',
  'Haste makes waste',
  'Postmaster',
  'R\u00e9daction 3000',
  '\u0420\u0435\u0434\u0430\u043a\u0442\u043e\u0440',
  '\u7de8\u96c6\u8005 Editor',
  '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
  '\u2709\ufe0f Mail',
  '\u{1f468}\u200d\u{1f4bb} Code',
])('takes a name of people: %s', (name) => {
  expect(clientNameProblem(name)).toBe(null)
})
