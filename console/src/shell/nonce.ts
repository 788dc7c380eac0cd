/** The policy of the page allows only styles that bear it. */
export const NONCE = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
