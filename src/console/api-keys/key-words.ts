import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { ApiKeyRow } from '../../modules/accounts/api-keys.repository.ts'

export const ADDRESS = '/console/api-keys'

/** A key, with the name of the domain that it is restricted to; null if that was deleted. */
export type ShownKey = ApiKeyRow & { domainName: string | null }

export const keyAddress = ({ id }: Pick<ApiKeyRow, 'id'>): string => `${ADDRESS}/${id}`

export const permissionWords = ({ permission }: Pick<ApiKeyRow, 'permission'>): string =>
  permission === 'full_access' ? 'full access' : 'sending only'

/** Which domain it may send from; null if any. */
export function domainWords({ domainId, domainName }: ShownKey): SafeHtml | null {
  if (domainId === null) return null
  return domainName === null
    ? html`<span class="wrong">a domain that was deleted: it can send nothing</span>`
    : html`<a href="/console/domains/${domainId}">${domainName}</a>`
}

export const lastUse = ({ lastUsedAt }: ApiKeyRow, now: Date): SafeHtml =>
  lastUsedAt === null ? html`never` : timeElement(lastUsedAt, now)
