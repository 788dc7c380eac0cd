import { Type } from '@sinclair/typebox'

/** The token of a signed link, as it stands in its path. */
export const LinkParams = Type.Object({ token: Type.String() })
