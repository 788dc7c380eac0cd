// Which variables a person can try a template with.
import type { VariableType } from '../../schemas/template-variables.ts'
import { isOfContact } from '../rendering/contact-placeholders.ts'
import { readPlaceholders } from '../rendering/placeholders.ts'
import type { DeclaredVariable } from './filled-template.ts'

/** `type`: null for a placeholder that the template does not declare. */
export type AskedVariable = { key: string; type: VariableType | null; fallbackValue: DeclaredVariable['fallbackValue'] }

/** More than a person fills in. */
export const ASKED_VARIABLES_MAX = 100

/** Lists the declared variables, then the undeclared placeholders: at most `ASKED_VARIABLES_MAX`. */
export function askedVariables(texts: readonly (string | null)[], declared: readonly DeclaredVariable[]): AskedVariable[] {
  const asked = new Map<string, AskedVariable>(declared.map(({ key, type, fallbackValue }) => [key, { key, type, fallbackValue }]))
  for (const text of texts) {
    for (const part of readPlaceholders(text ?? '')) {
      if (asked.size >= ASKED_VARIABLES_MAX) return [...asked.values()]
      if (typeof part === 'string' || asked.has(part.name) || isOfContact(part.name) || part.name.includes('.')) continue
      asked.set(part.name, { key: part.name, type: null, fallbackValue: part.fallback })
    }
  }
  return [...asked.values()]
}
