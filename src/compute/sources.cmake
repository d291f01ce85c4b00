# Compiled sources of the room compute, relative to it.
set(compute_SRCS)
list(APPEND compute_SRCS ForwardProjection.cxx ProjectionPolicy.cxx)
list(APPEND compute_SRCS BackProjection.cxx ViewPlan.cxx)
list(APPEND compute_SRCS AttenuationScan.cxx InstructionSet.cxx)
list(APPEND compute_SRCS PhotonNoiseLauncher.cxx SubrayAverage.cxx TransmissionLauncher.cxx TransmissionPackets.cxx)
list(APPEND compute_SRCS DetectorAdjointLauncher.cxx OpticalDepthLauncher.cxx TransmissionAdjointLauncher.cxx)
list(APPEND compute_SRCS PoissonLikelihoodLauncher.cxx PoissonLikelihoodResiduals.cxx)
list(APPEND compute_SRCS FlatFieldCorrection.cxx)
