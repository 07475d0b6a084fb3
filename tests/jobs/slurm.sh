#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# slurm.sh OMPCOLLECT PROGRAM [COMMAND]: makes a Slurm cluster of four hosts on this machine (each
# slurmd has a host name of its own), runs eight ranks of an MPICH program, with the launcher inside
# the step or around it, and looks at the one result of each. OCB_TEST_PMIX is a program of Open MPI for `srun --mpi=pmix`; with
# OCB_TEST_OPENMPI one is run by its mpirun, too. With a COMMAND that is run on the cluster instead.
# OCB_TEST_SPANK is a plugin for all its hosts. Everything is ended and removed. Needs root, and the
# packages slurmctld, slurmd, slurm-client and munge.
set -eu
ompcollect=$1
program=$2
shift 2
. "$(dirname "$0")/planted.sh"
planted_function=relax_large_grid
planted_call=MPI_Allreduce
work=$(mktemp -d)
host=$(hostname -s)
port=$((20000 + $$ % 20000))
started=""

unshare -um true 2> /dev/null || { echo "namespaces are refused here: not tested"; exit 77; }

finish() {
    code=$?
    # The last ones first: a step that has not quite ended needs the controller and munged for that,
    # and its host waits for it.
    for pid in $started; do
        kill "$pid" 2> /dev/null || true
        wait "$pid" 2> /dev/null || true
    done
    if [ $code != 0 ]; then
        tail -n 5 "$work"/*.log >&2 || true
    fi
    rm -rf "$work"
    exit $code
}
trap finish EXIT

mkdir -p /run/munge /var/log/munge /var/lib/munge /etc/munge "$work/spool" "$work/state"
chown munge: /run/munge /var/log/munge /var/lib/munge /etc/munge
chmod 755 /run/munge
[ -f /etc/munge/munge.key ] || su -s /bin/sh munge -c /usr/sbin/mungekey
# One of its own, so that another test's is left alone.
su -s /bin/sh munge -c "exec /usr/sbin/munged --foreground --force --socket=/run/munge/ocb.$$ \
    --pid-file=/run/munge/ocb.$$.pid --log-file=/var/log/munge/ocb.$$.log \
    --seed-file=/var/lib/munge/ocb.$$.seed" > "$work/munged.log" 2>&1 &
started="$! $started"

cat > "$work/slurm.conf" << END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=/run/munge/ocb.$$
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
NodeName=n[0-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=4 RealMemory=100
PartitionName=main Nodes=n[0-3] Default=YES OverSubscribe=FORCE:4
END
# On one machine the hosts' servers of PMIx would take each other's names.
mkdir "$work/pmix"
echo "PMIxCliTmpDirBase=$work/pmix" > "$work/mpi.conf"
export SLURM_CONF="$work/slurm.conf"
if [ -n "${OCB_TEST_SPANK:-}" ]; then
    echo "required $OCB_TEST_SPANK" > "$work/plugstack.conf"
fi
slurmctld -D > "$work/slurmctld.log" 2>&1 &
started="$! $started"
for i in 0 1 2 3; do
    mkdir -p "$work/spool/n$i"
    unshare -um sh -c "hostname n$i; mount -t tmpfs none $work/pmix; exec slurmd -D -N n$i" \
        > "$work/slurmd$i.log" 2>&1 &
    started="$! $started"
done
ready=no
for try in $(seq 1 240); do
    if [ "$(sinfo -h -t idle -o %D 2> /dev/null)" = 4 ]; then
        ready=yes
        break
    fi
    sleep 0.5
done
[ $ready = yes ] || { echo "slurm.sh: the cluster did not come up" >&2; exit 1; }

if [ $# != 0 ]; then
    "$@"
    exit
fi

expect() {
    grep -q -- "$1" "$2" || { echo "slurm.sh: no '$1' in:" >&2; cat "$2" >&2; exit 1; }
}

cd "$work"
# The hosts have one address, which Open MPI 5 reaches by the loopback interface alone.
export OMPI_MCA_btl_tcp_if_include=lo
# One long step: where the threads take turns on fewer processors, the step's end is less than 6 % off.
steps="1 2000"
step="srun -N4 -n8 --overcommit --mpi=pmi2"
# Open MPI starts a process of its own on each host, by srun.
allocation="salloc -Q -N4 -n8 --overcommit mpirun.openmpi --allow-run-as-root --oversubscribe
            --bind-to none -n 8"

run_planted() {
    rm -rf planted.ompc
    case $1 in
    inside) $step "$ompcollect" -o planted.ompc "$program" $steps > printed ;;
    around) "$ompcollect" -o planted.ompc $step "$program" $steps > printed ;;
    allocated) $allocation "$ompcollect" -o planted.ompc "$OCB_TEST_OPENMPI" $steps > printed ;;
    esac
}
# With --long the launcher around the step finds it, too.
for order in inside ${OCB_TEST_LONG:+around} ${OCB_TEST_OPENMPI:+allocated}; do
    expect_planted $order
done

# The same by PMIx, with Open MPI. Debian's Slurm of 2026 has no plugin for it.
if srun --mpi=list 2>&1 | grep -qw pmix; then
    by_pmix="srun -N4 -n8 --overcommit --mpi=pmix"
    $by_pmix "$ompcollect" -o pmix.ompc "$OCB_TEST_PMIX" 2 20 > printed
    "$ompcollect" -o around-pmix.ompc $by_pmix "$OCB_TEST_PMIX" 2 20 > printed
    for job in pmix around-pmix; do
        "$ompcollect" report $job.ompc > report
        tr -s ' \n' ' ' < report > words
        expect "8 ranks on 4 hosts (n0, n1, n2, n3), 2 threads each; .* started by PMIx" words
        if grep warning: report | grep -qv 'machine was shared'; then
            cat report >&2
            exit 1
        fi
    done
else
    echo "slurm.sh: this Slurm has no PMIx, so that part is left out"
fi

# A host whose /tmp is its own: the rank's profile lies beside the result all the same.
cat > own_tmp.sh << END
if [ "\$PMI_RANK" = 5 ]; then
    exec unshare -m sh -c 'mount -t tmpfs none /var/tmp && TMPDIR=/var/tmp exec "\$@"' sh "\$@"
fi
exec "\$@"
END
$step sh own_tmp.sh "$ompcollect" -o own.ompc "$program" 2 20
"$ompcollect" report own.ompc > report
expect "  8 ranks on 4 hosts" report

# The script of a batch job has the step's variables, and is no rank.
printf '#!/bin/sh\nOMP_NUM_THREADS=2 "%s" -o %s/script.ompc "%s" exit 0\n' "$ompcollect" "$work" "$OCB_TEST_SERIAL" > batch.sh
sbatch -W -N1 -n4 --overcommit -o batch.out batch.sh > /dev/null || { cat batch.out >&2; exit 1; }
[ -f script.ompc ] || { echo "slurm.sh: the script's own run is no file" >&2; exit 1; }
"$ompcollect" report script.ompc > report
if grep -q "rank" report; then
    cat report >&2
    exit 1
fi
echo "slurm.sh: all as it should be"
