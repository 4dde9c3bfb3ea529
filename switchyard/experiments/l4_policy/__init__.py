# SPDX-License-Identifier: Apache-2.0
"""Which domains should be recycled? Policies side by side, for spaces that talk in several ways.

"We have so far not been able to come up with a reasonable scheduling policy that decreases the ASID
recycling frequency to a level suitable for deployment in a real system" (Uhlig et al., section 5.2,
where application groups are proposed instead). No value of this is published. What no policy can
beat is a machine with hardware tags, where nothing is recycled.
"""
