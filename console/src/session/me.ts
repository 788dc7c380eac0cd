// The person who is signed in, and what their role in the team lets them see and do. The API decides; this only hides what it would refuse.
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { useAct } from '../api/acts'
import { answer, api, chooseTeam } from '../api/client'
import type { RecordOf } from '../api/queries'
import { MEMBER_TEXTS } from '../texts/members'

export type Me = RecordOf<'/me'>

export const MeContext = createContext<Me | null>(null)

export function useMe(): Me {
  const me = useContext(MeContext)
  if (me === null) throw new Error('This needs someone who is signed in')
  return me
}

/** Whether mail to people, such as codes and invitations, may not reach them: then the operator of the installation prints them. */
export function useIsMailDoubtful(): boolean {
  const { installation } = useMe()
  return installation.delivery === 'capture' || !installation.has_mailed
}

/** What is said once someone was invited. */
export function useInvited(): (email: string) => string {
  const { installation } = useMe()
  return installation.delivery === 'capture' ? MEMBER_TEXTS.invitedKept : MEMBER_TEXTS.invited
}

const UNKNOWN_INSTALLATION: Me['installation'] = {
  ...{ delivery: 'direct', has_mailed: true, has_mail_hostname: true },
  tracked_by_default: { opens: true, clicks: true },
}

/** Asked once at the start: every other request names the team that it tells. */
export const useSignedIn = () =>
  useQuery({
    queryKey: ['me', '/me'],
    queryFn: async () => {
      const me = await answer(api.GET('/me'))
      chooseTeam(me.team?.id ?? null)
      // While processes are updated one after the other, one of before may answer, which does not know it.
      return { ...me, installation: me.installation ?? UNKNOWN_INSTALLATION }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Opens another team of theirs, on the first page. */
export const useOpenTeam = () =>
  useAct({
    run: (teamId: string) => answer(api.POST('/me/team', { body: { team_id: teamId } })),
    changes: [],
    // Everything that was read belongs to the team that is left. Until then, so does what is written.
    onDone: () => window.location.assign(import.meta.env.BASE_URL),
  })

/** Whether the role allows all of these scopes, such as `emails:read`. */
export function useMay(): (...scopes: string[]) => boolean {
  const { scopes } = useMe()
  return (...wanted) => wanted.every((scope) => scopes.includes(scope))
}
