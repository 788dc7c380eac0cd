// Who is signed in, and what their role in the team lets them see and do. The API decides; this only hides what it would refuse.
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { answer, api, chooseTeam } from '../api/client'
import type { RecordOf } from '../api/queries'

export type Me = RecordOf<'/me'>

export const MeContext = createContext<Me | null>(null)

export function useMe(): Me {
  const me = useContext(MeContext)
  if (me === null) throw new Error('This needs someone who is signed in')
  return me
}

/** Asked once at the start: every other request names the team that it tells. */
export const useSignedIn = () =>
  useQuery({
    queryKey: ['me', '/me'],
    queryFn: async () => {
      const me = await answer(api.GET('/me'))
      chooseTeam(me.team?.id ?? null)
      return me
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Whether the role allows all of these scopes, such as `emails:read`. */
export function useMay(): (...scopes: string[]) => boolean {
  const { scopes } = useMe()
  return (...wanted) => wanted.every((scope) => scopes.includes(scope))
}
