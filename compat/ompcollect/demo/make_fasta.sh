#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Writes 60 related protein sequences in FASTA format to stdout: a few ancestors, and descendants with random
# substitutions, insertions and deletions. Always the same ones: the random numbers are our own
# (a Lehmer generator, small enough to be exact in every awk).
awk '
function random(limit) {
    seed = (seed * 16807) % 2147483647
    return seed % limit
}
function residue() {
    return substr(residues, random(20) + 1, 1)
}
function ancestor(length_,    sequence, i) {
    sequence = ""
    for (i = 0; i < length_; i++) {
        sequence = sequence residue()
    }
    return sequence
}
# Of 100 residues, `rate` are replaced and a few are lost or get a neighbour.
function descendant(sequence, rate,    result, i, dice) {
    result = ""
    for (i = 1; i <= length(sequence); i++) {
        dice = random(100)
        if (dice < rate) {
            result = result residue()
        } else if (dice < rate + 2) {
            result = result substr(sequence, i, 1) residue()
        } else if (dice < rate + 4) {
            continue
        } else {
            result = result substr(sequence, i, 1)
        }
    }
    return result
}
function print_fasta(name, sequence,    i) {
    print ">" name
    for (i = 1; i <= length(sequence); i += 60) {
        print substr(sequence, i, 60)
    }
}
BEGIN {
    seed = 20120612
    residues = "ACDEFGHIKLMNPQRSTVWY"
    for (family = 1; family <= 4; family++) {
        founder = ancestor(500 + 60 * family)
        for (member = 1; member <= 15; member++) {
            print_fasta("family" family "_member" member, descendant(founder, 10 + 3 * member))
        }
    }
}'
