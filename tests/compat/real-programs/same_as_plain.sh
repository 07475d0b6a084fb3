#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# same_as_plain.sh LAUNCHER NAME - runs a program that nobody here wrote as it is and twice under
# ompcollect without any option. It must end with the same exit code, print and write the same, and
# the profile must have its regions. One that hangs is ended after two minutes.
# same_as_plain.sh --list FORM - the names of the rows of that form, short or long.
# Ends with 77 where the program is not installed (tests/run.sh installs those of its form), and where
# tests/support/known_failures.h has it.
set -eu

inputs=$(dirname "$(realpath "$0")")/debian

# name | packages | form | word in the profile | compared files | inputs | to prepare | command
# The command is not a shell's; what a shell must do is prepared. "out" and "err" are what it prints;
# FILE%WORD are the lines of a file that have the word.
rows() {
    cat <<'END'
numpy | python3-numpy libopenblas0-openmp | short | blas | out err | | | env LD_LIBRARY_PATH=OPENBLAS /usr/bin/python3 INPUTS/blas.py
sklearn | python3-sklearn | short | _k_means | out err | | | /usr/bin/python3 INPUTS/learn.py
r | r-base-core libopenblas0-openmp | short | blas | out err | | | env LD_LIBRARY_PATH=OPENBLAS Rscript INPUTS/blas.R
imagemagick | imagemagick | short | Magick | out o.ppm | image.ppm | | /usr/bin/convert ../in/image.ppm -blur 0x6 o.ppm
clustalo | clustalo | short | clustalo | out o.fa | proteins.fa | | clustalo --threads=2 -i ../in/proteins.fa -o o.fa
graphicsmagick | graphicsmagick | long | Magick | out o.ppm | image.ppm | | gm convert ../in/image.ppm -blur 0x6 o.ppm
andi | andi | long | andi | out | genomes.fa | | andi -t 2 ../in/genomes.fa
cd-hit | cd-hit | long | cd-hit | o o.clstr | many_proteins.fa | | cd-hit -i ../in/many_proteins.fa -o o -T 2 -M 0
fastani | fastani | long | fastANI | o | genome0.fa | ls ../in/genome*.fa >list | fastANI --ql list --rl list -o o -t 2 --fragLen 1000
fasttree | fasttree | long | fasttreeMP | out | aligned.fa | | fasttreeMP -nt -quiet ../in/aligned.fa
kalign | kalign | long | kalign | o.fa | proteins.fa | | kalign -i ../in/proteins.fa -o o.fa
muscle | muscle | long | muscle | o.fa | few_proteins.fa | | muscle -align ../in/few_proteins.fa -output o.fa -threads 2
par2 | par2 | long | par2 | o.par2 | data.bin | cp ../in/data.bin . | par2 create -q -t2 -r20 o.par2 data.bin
sumaclust | sumaclust | long | sumaclust | out | amplicons.fa | | sumaclust -p 2 -t 0.9 ../in/amplicons.fa
megahit | megahit | long | megahit | o/final.contigs.fa | reads.fa | | megahit -r ../in/reads.fa -t 2 -o o --k-list 21
primecount | primecount-bin | long | primecount | out | | | primecount 1e13 -t2
gettext | gettext | long | msgmerge | o.po | old.po | | msgmerge -q -o o.po ../in/old.po ../in/new.pot
phylonium | phylonium | long | phylonium | out | genome0.fa | | phylonium -t 2 ../in/genome0.fa ../in/genome1.fa ../in/genome2.fa
john | john | long | john | | | | /usr/sbin/john --test=1 --format=md5crypt
mopac | mopac | long | mopac | water.out%FINAL | water.xyz | cp ../in/water.mop . | mopac water.mop
xtb | xtb | long | xtb | wbo | water.xyz | | xtb ../in/water.xyz --gfn 2
sox | sox | long | sox | o.wav | | sox -n -R -r 44100 in.wav synth 20 sine 300 sine 500 | sox -R --multi-threaded --buffer 65536 in.wav o.wav rate 96000 reverb
tesseract | tesseract-ocr tesseract-ocr-eng graphicsmagick fonts-dejavu-core | long | tesseract | o.txt | | gm convert -size 900x300 xc:white -font /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf -pointsize 30 -draw 'text 20,60 "The quick brown fox" text 20,120 "jumps over the lazy dog" text 20,180 "and runs away at once"' in.png | tesseract in.png o
aaphoto | aaphoto graphicsmagick | long | aaphoto | in_new.jpg | image.ppm | gm convert ../in/image.ppm in.jpg | aaphoto in.jpg
ntcard | ntcard | long | ntcard | o_k21.hist | reads.fa | | ntcard -t2 -k21 -p o ../in/reads.fa
bart | bart | long | bart | o.cfl | | bart phantom -x 96 -k -s 4 in | bart ecalib -m1 in o
e-mem | e-mem | long | e-mem | out | genome0.fa | | e-mem -l 30 -t 2 ../in/genome0.fa ../in/genome1.fa
pykdtree | python3-pykdtree | long | kdtree | out | | | /usr/bin/python3 INPUTS/tree.py
xgboost | python3-xgboost | long | xgboost | out | | | /usr/bin/python3 INPUTS/boost.py
faiss | python3-faiss | long | faiss | out | | | /usr/bin/python3 INPUTS/search.py
pot | python3-pot | long | emd | out | | | /usr/bin/python3 INPUTS/transport.py
END
}

if [ "$1" = --list ]; then
    rows | awk -F ' *[|] *' -v form="$2" '$3 == form { print $1 }'
    exit
fi
if [ "$1" = --packages ]; then
    rows | awk -F ' *[|] *' -v form="$2" '$3 == form { print $2 }' | tr ' ' '\n' | sort -u
    exit
fi

launcher=$1
name=$2
field() {
    rows | awk -F '[|]' -v name="$name" -v field="$1" '
        { row = $1; gsub(/ /, "", row) }
        row == name { sub(/^ +/, "", $field); sub(/ +$/, "", $field); print $field }'
}
word=$(field 4)
files=$(field 5)
made=$(field 6)
prepared=$(field 7)
# Where several OpenBLAS are installed, the system's choice may be the one without OpenMP.
openblas=$(dpkg -L libopenblas0-openmp 2>/dev/null | sed -n 's|/libblas\.so\.3$||p')
command=$(field 8 | sed "s|INPUTS|$inputs|g; s|OPENBLAS|$openblas|g")
if [ -z "$command" ]; then
    echo "no such program: $name" >&2
    exit 1
fi
if grep "\"compat.same.$name\"" "$inputs/../../../support/known_failures.h"; then
    exit 77
fi
for package in $(field 2); do
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        echo "$name: $package is not installed"
        exit 77
    fi
done

# Threads that wait busily take each other's processor where others run beside them.
OMP_NUM_THREADS=2
OMP_WAIT_POLICY=passive
export OMP_NUM_THREADS OMP_WAIT_POLICY

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/in"
if [ -n "$made" ]; then
    # shellcheck disable=SC2086 # a list of words
    (cd "$work/in" && python3 -B "$inputs/inputs.py" $made)
fi

fail() {
    echo "$name: $*" >&2
    tail -20 "$work/$folder/err" >&2
    exit 1
}

# run_in FOLDER [LAUNCHER]: sets `status`.
run_in() {
    folder=$1
    shift
    mkdir "$work/$folder"
    (cd "$work/$folder" && sh -c "$prepared") >"$work/prepared" 2>&1 || {
        cat "$work/prepared" >&2
        fail "cannot be prepared"
    }
    status=0
    # shellcheck disable=SC2086 # a list of words
    (cd "$work/$folder" && timeout -k 5 120 "$@" $command >out 2>err </dev/null) || status=$?
    # The program's own lines and the report are one after the other.
    sed -n '/^== OpenMP profile of/,$p' "$work/$folder/err" >"$work/report"
}

# compared FILE FOLDER: what of it must be the same; FILE%WORD: its lines with the word.
compared() {
    case $1 in
    err) sed '/^== OpenMP profile of/,$d' "$work/$2/err" | sed '${/^$/d}' ;;
    *%*) grep "${1#*%}" "$work/$2/${1%%%*}" ;;
    *) cat "$work/$2/$1" ;;
    esac
}

run_in plain
wanted=$status
[ "$wanted" -ne 124 ] || fail "hangs by itself"
for file in $files; do
    case $file in out | err) continue ;; esac
    [ -s "$work/plain/${file%%%*}" ] || fail "makes no $file by itself"
done
for try in 1 2; do
    run_in "try$try" "$launcher" --all
    [ "$status" -ne 124 ] || fail "hangs under ompcollect"
    [ "$status" -eq "$wanted" ] || fail "ends with $status under ompcollect, by itself with $wanted"
    for file in $files; do
        compared "$file" plain >"$work/wanted"
        compared "$file" "$folder" >"$work/found"
        cmp "$work/wanted" "$work/found" || fail "$file differs"
    done
    grep -q '^Parallel regions' "$work/report" || fail "no regions in the profile"
    grep -q "$word" "$work/report" || fail "the profile names no $word"
done
echo "$name: the same, twice:${files:+ }$files; exit code $wanted"
sed -n '/^Parallel regions/,/^$/p' "$work/report" | head -5
