/**
 * What a refusal is about. `route`: the way to the address. `policy`: the sender, its address, its reputation or its rate. `system`: a server that
 * does not work at the moment.
 */
export type Fault = 'address' | 'route' | 'policy' | 'content' | 'attachment' | 'full' | 'size' | 'system' | 'unclear'

/** The parts of a server's answer. The code is 0 if there is none; the enhanced code is that of RFC 3463. */
export type Answer = { code: number; enhancedCode: string | null; text: string }
