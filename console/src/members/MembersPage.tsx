import { Badge, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RowOf, useRows } from '../api/queries'
import { Address } from '../parts/Address'
import { ConfirmButton } from '../parts/ConfirmButton'
import { DataList, Dimmed } from '../parts/DataList'
import { IN_ONE_LINE } from '../parts/one-line'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useInvited, useMay, useMe } from '../session/me'
import { MEMBER_TEXTS as TEXTS } from '../texts/members'
import { InvitePerson } from './InvitePerson'
import { KeysLeft, MemberActs } from './MemberActs'

type Member = RowOf<'/members'>
type Invitation = RowOf<'/invitations'>

export default function MembersPage() {
  const may = useMay()
  const me = useMe()
  const [keysLeft, setKeysLeft] = useState<{ id: string; name: string }[]>([])
  const members = useRows('/members')
  const invitations = useRows('/invitations')
  const mayChange = may('members:write')
  return (
    <Page title={TEXTS.title} acts={mayChange && <InvitePerson />}>
      <DataList
        label={TEXTS.title}
        list={members}
        empty={TEXTS.empty}
        columns={[
          {
            name: TEXTS.name,
            cell: ({ name, email, id }) => (
              <Group gap="xs">
                <bdi>{name || email}</bdi>
                {(email === me.email || id === me.id) && <Badge variant="default">{TEXTS.you}</Badge>}
              </Group>
            ),
          },
          { name: TEXTS.email, cell: ({ email }) => <Address of={email} isDimmed />, isWide: true },
          { name: TEXTS.role, cell: ({ role }) => <RoleName role={role} /> },
          { name: TEXTS.since, cell: ({ created_at }) => <Time at={created_at} form="day" />, isWide: true },
          ...(mayChange
            ? [
                {
                  name: TEXTS.acts,
                  isActs: true,
                  cell: (member: Member) => member.email !== me.email && <MemberActs member={member} onKeysLeft={setKeysLeft} />,
                },
              ]
            : []),
        ]}
      />
      <Section title={TEXTS.invitations}>
        <DataList
          label={TEXTS.invitations}
          list={invitations}
          empty={TEXTS.invitationsEmpty}
          columns={[
            { name: TEXTS.email, cell: ({ email }) => <Address of={email} /> },
            { name: TEXTS.role, cell: ({ role }) => <RoleName role={role} /> },
            { name: TEXTS.by, cell: ({ invited_by }) => <Dimmed>{invited_by}</Dimmed>, isWide: true },
            { name: TEXTS.expires, cell: ({ expires_at }) => <Time at={expires_at} />, isWide: true },
            ...(mayChange
              ? [{ name: TEXTS.acts, isActs: true, cell: (invitation: Invitation) => <InvitationActs invitation={invitation} /> }]
              : []),
          ]}
        />
      </Section>
      <KeysLeft keys={keysLeft} onClose={() => setKeysLeft([])} />
    </Page>
  )
}

const RoleName = ({ role }: Pick<Member, 'role'>) => (
  <Text span style={IN_ONE_LINE}>
    {TEXTS.roles[role][0]}
  </Text>
)

function InvitationActs({ invitation: { id, email, role } }: { invitation: Invitation }) {
  const invited = useInvited()
  const inviteAgain = useAct({
    run: () => answer(api.POST('/invitations', { body: { email, role } })),
    done: invited(email),
    changes: ['invitations'],
  })
  const revoke = useAct({
    run: () => answer(api.DELETE('/invitations/{invitation_id}', { params: { path: { invitation_id: id } } })),
    done: TEXTS.revoked,
    changes: ['invitations'],
  })
  return (
    <Group gap="xs" display="inline-flex">
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => inviteAgain.mutate()}
        loading={inviteAgain.isPending}
        aria-label={`${TEXTS.inviteAgain}: ${email}`}
      >
        {TEXTS.inviteAgain}
      </Button>
      <ConfirmButton
        name={TEXTS.revoke}
        label={`${TEXTS.revoke}: ${email}`}
        size="compact-sm"
        question={TEXTS.revokeQuestion(email)}
        onConfirm={() => revoke.mutate()}
        isBusy={revoke.isPending}
      />
    </Group>
  )
}
